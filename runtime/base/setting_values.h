#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen::setting_values {

// Conversion of setting texts to values and back. `where` names the variable or option in the UserError that a bad text
// causes; `allowed` is the column of settings.def.
bool parse_boolean(std::string_view where, std::string_view text);
std::optional<bool> parse_tristate(std::string_view where, std::string_view text);
int64_t parse_integer(std::string_view where, std::string_view text, std::string_view allowed);
int64_t parse_bytes(std::string_view where, std::string_view text, std::string_view allowed);
std::string parse_choice(std::string_view where, std::string_view text, std::string_view allowed);
std::vector<std::string> parse_list(std::string_view where, std::string_view text, std::string_view allowed);
// The words of a list that are allowed, and the others, each joined by commas.
std::pair<std::string, std::string> known_words(std::string_view text, std::string_view allowed);
// UserError, too, for an empty text and for control characters.
std::string parse_text(std::string_view where, std::string_view text, std::string_view allowed = "");

std::string print(bool value);
std::string print(const std::optional<bool>& value);
std::string print(int64_t value);
std::string print(const std::string& value);
std::string print(const std::vector<std::string>& value);

// "a|b|1..3" in readable form: "a, b, 1 to 3".
std::string print_allowed(std::string_view allowed);

std::vector<std::string> split(std::string_view text, char separator);  // pieces trimmed, empty ones dropped
std::string upper(std::string_view text);
size_t edit_distance(std::string_view a, std::string_view b);  // Levenshtein

// The nearest of `names` if it is probably what the user meant by `text`, with only a few wrong letters.
std::optional<std::string> likely_meant(std::string_view text, const std::vector<std::string>& names);

}  // namespace cppgen::setting_values
