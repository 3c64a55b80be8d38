#include "runtime/base/json_text.h"

#include <nlohmann/json.hpp>

#include "runtime/base/printable.h"

namespace cppgen {

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json parse_json_or_discard(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

std::string json_text(const nlohmann::json& value, int indentation) {
  return json_for_terminal(value.dump(indentation, ' ', false, nlohmann::json::error_handler_t::replace));
}
std::string json_text(const Json& value, int indentation) {
  return json_for_terminal(value.dump(indentation, ' ', false, Json::error_handler_t::replace));
}

}  // namespace cppgen
