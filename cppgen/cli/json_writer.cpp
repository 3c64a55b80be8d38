#include "cppgen/cli/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace cppgen {

std::string JsonWriter::quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::next_element() {
  if (after_name_) {
    after_name_ = false;
    return;
  }
  if (depth_ == 0) return;
  text_ += first_ ? "\n" : ",\n";
  text_.append(size_t(depth_) * 2, ' ');
  first_ = false;
}

void JsonWriter::name(std::string_view key) {
  next_element();
  text_ += quote(key) + ": ";
  after_name_ = true;
}

void JsonWriter::write(std::string_view text) {
  next_element();
  text_ += text;
}

void JsonWriter::open(char bracket) {
  next_element();
  text_ += bracket;
  depth_++;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  depth_--;
  if (!first_) {
    text_ += '\n';
    text_.append(size_t(depth_) * 2, ' ');
  }
  text_ += bracket;
  first_ = false;
}

void JsonWriter::element(double value) { write(std::isfinite(value) ? fmt::format("{}", value) : "null"); }

void JsonWriter::list(std::string_view key, std::span<const int64_t> values) {
  name(key);
  write(fmt::format("[{}]", fmt::join(values, ", ")));
}

void JsonWriter::list(std::string_view key, std::span<const std::string> values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + quote(value);
  name(key);
  write("[" + text + "]");
}

std::string JsonWriter::take() {
  text_ += '\n';
  return std::move(text_);
}

}  // namespace cppgen
