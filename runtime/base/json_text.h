#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cppgen {

// The JSON that programs print: objects keep the order in which their fields were added.
using Json = nlohmann::ordered_json;

// JSON from text and to text. The library's parser and serializer are templates that take seconds to compile, so they
// are compiled here alone.

// nlohmann::json::parse_error if the text is not JSON.
nlohmann::json parse_json(std::string_view text);
// A discarded value if the text is not JSON.
nlohmann::json parse_json_or_discard(std::string_view text);

// The text has no newline at its end; with an indentation of -1 it is on one line. Strings may hold any bytes, because
// names come from models: what is not UTF-8 becomes U+FFFD, and characters that could forge a display, such as those
// that change the direction of text, are escaped as \u202e. Numbers that JSON lacks (NaN, infinities) become null.
std::string json_text(const nlohmann::json& value, int indentation);
std::string json_text(const Json& value, int indentation);

}  // namespace cppgen
