#include "cppgen/flow/compile/state_option.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {

static std::optional<int64_t> positive_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

StateOption parse_state_option(const std::string& text) {
  const size_t equals = text.find('=');
  StateOption option;
  option.present = text.substr(0, equals);
  option.past = equals == text.npos ? "" : text.substr(equals + 1);
  if (const size_t colon = option.past.rfind(':'); colon != option.past.npos)
    if (const auto capacity = positive_integer(std::string_view(option.past).substr(colon + 1)))
      option.capacity = *capacity, option.past.resize(colon);
  if (option.present.empty() || option.past.empty())
    user_error("--state {}: expected OUTPUT=INPUT or OUTPUT=INPUT:CAPACITY", one_line(text));
  return option;
}

std::string to_string(const StateOption& option) {
  return fmt::format("{}={}:{}", option.present, option.past, option.capacity);
}

}  // namespace cppgen
