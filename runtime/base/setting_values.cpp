#include "runtime/base/setting_values.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::setting_values {
namespace {

std::string_view trimmed(std::string_view text) {
  auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> integer_of(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Bounds are the table's own text, so a malformed one is our bug.
int64_t bound_of(std::string_view text) {
  auto value = integer_of(text);
  check(value.has_value(), "settings.def: a bound is not a number");
  return *value;
}

bool in_alternative(int64_t value, std::string_view alternative) {
  size_t dots = alternative.find("..");
  if (dots == std::string_view::npos) return value == bound_of(alternative);
  std::string_view high = alternative.substr(dots + 2);
  return value >= bound_of(alternative.substr(0, dots)) && (high.empty() || value <= bound_of(high));
}

bool in_range(int64_t value, std::string_view allowed) {
  auto alternatives = split(allowed, '|');
  return alternatives.empty() ||
         std::any_of(alternatives.begin(), alternatives.end(), [&](auto& a) { return in_alternative(value, a); });
}

// An address may hold a password in a form that nobody recognises.
[[noreturn]] void refuse(std::string_view where, std::string_view text, std::string_view allowed) {
  if (allowed.find("://") != allowed.npos) user_error("{}: this address is not allowed; allowed: {}", where, allowed);
  user_error("{}: \"{}\" is not allowed; allowed: {}", where, one_line(text), allowed);
}

constexpr std::string_view kBooleanSpellings = "1, 0, true, false, yes, no, on, off, ok, easy";

std::optional<bool> boolean_of(std::string_view text) {
  std::string word = upper(trimmed(text));
  for (const char* yes : {"1", "TRUE", "YES", "ON", "OK", "EASY"})
    if (word == yes) return true;
  for (const char* no : {"0", "FALSE", "NO", "OFF"})
    if (word == no) return false;
  return std::nullopt;
}

struct Suffix {
  std::string_view name;  // in upper case
  int64_t bytes;
};
constexpr Suffix kSuffixes[] = {{"", 1},
                                {"B", 1},
                                {"KIB", 1ll << 10},
                                {"MIB", 1ll << 20},
                                {"GIB", 1ll << 30},
                                {"TIB", 1ll << 40},
                                {"K", 1ll << 10},
                                {"M", 1ll << 20},
                                {"G", 1ll << 30},
                                {"T", 1ll << 40},
                                {"KB", 1000},
                                {"MB", 1000'000},
                                {"GB", 1000'000'000ll},
                                {"TB", 1000'000'000'000ll}};

std::optional<int64_t> bytes_of(std::string_view text) {
  text = trimmed(text);
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  auto count = integer_of(text.substr(0, digits));
  std::string suffix = upper(trimmed(text.substr(digits)));
  auto row = std::find_if(std::begin(kSuffixes), std::end(kSuffixes), [&](auto& s) { return s.name == suffix; });
  int64_t value = 0;
  if (!count || row == std::end(kSuffixes) || __builtin_mul_overflow(*count, row->bytes, &value)) return std::nullopt;
  return value;
}

}  // namespace

bool parse_boolean(std::string_view where, std::string_view text) {
  if (auto value = boolean_of(text)) return *value;
  refuse(where, text, kBooleanSpellings);
}

std::optional<bool> parse_tristate(std::string_view where, std::string_view text) {
  std::string word = upper(trimmed(text));
  if (word == "UNSET" || word == "AUTO") return std::nullopt;
  if (auto value = boolean_of(text)) return value;
  refuse(where, text, fmt::format("unset, auto, {}", kBooleanSpellings));
}

int64_t parse_integer(std::string_view where, std::string_view text, std::string_view allowed) {
  auto value = integer_of(text);
  if (value && in_range(*value, allowed)) return *value;
  refuse(where, text, print_allowed(allowed));
}

int64_t parse_bytes(std::string_view where, std::string_view text, std::string_view allowed) {
  auto value = bytes_of(text);
  if (value && in_range(*value, allowed)) return *value;
  refuse(where, text,
         fmt::format("{} bytes, below 8 EiB, optionally with a suffix KiB, MiB, GiB, TiB, kB, MB, GB, TB",
                     print_allowed(allowed)));
}

std::string parse_choice(std::string_view where, std::string_view text, std::string_view allowed) {
  for (std::string& word : split(allowed, '|'))
    if (upper(word) == upper(trimmed(text))) return std::move(word);
  refuse(where, text, print_allowed(allowed));
}

std::vector<std::string> parse_list(std::string_view where, std::string_view text, std::string_view allowed) {
  std::vector<std::string> words;
  for (const std::string& piece : split(text, ',')) {
    std::string word = allowed.empty() ? parse_text(where, piece) : parse_choice(where, piece, allowed);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
  }
  if (words.empty()) refuse(where, text, allowed.empty() ? "a list of names" : print_allowed(allowed));
  return words;
}

std::pair<std::string, std::string> known_words(std::string_view text, std::string_view allowed) {
  std::pair<std::string, std::string> words;
  const std::vector<std::string> known = split(allowed, '|');
  for (const std::string& piece : split(text, ',')) {
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const std::string& word) { return upper(word) == upper(piece); });
    std::string& list = is_known ? words.first : words.second;
    list += (list.empty() ? "" : ",") + piece;
  }
  return words;
}

// An alternative that ends in ... allows all texts that begin with the rest of it.
static bool is_allowed_text(std::string_view text, std::string_view allowed) {
  const std::vector<std::string> alternatives = split(allowed, '|');
  return alternatives.empty() || std::any_of(alternatives.begin(), alternatives.end(), [&](const std::string& a) {
           return a.ends_with("...") ? text.starts_with(a.substr(0, a.size() - 3)) : text == a;
         });
}

std::string parse_text(std::string_view where, std::string_view text, std::string_view allowed) {
  text = trimmed(text);
  bool control = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == 127; });
  if (text.empty() || control) refuse(where, text, "a non-empty text without control characters");
  if (!is_allowed_text(text, allowed)) refuse(where, text, print_allowed(allowed));
  return std::string(text);
}

std::string print(bool value) { return value ? "1" : "0"; }
std::string print(const std::optional<bool>& value) { return value ? print(*value) : "unset"; }
std::string print(int64_t value) { return fmt::format("{}", value); }
std::string print(const std::string& value) { return value; }
std::string print(const std::vector<std::string>& value) { return fmt::format("{}", fmt::join(value, ",")); }

std::string print_allowed(std::string_view allowed) {
  std::string text;
  for (const std::string& alternative : split(allowed, '|')) {
    if (!text.empty()) text += ", ";
    size_t dots = alternative.find("..");
    if (dots == std::string::npos || alternative.ends_with("...")) {
      text += alternative;
    } else if (dots + 2 == alternative.size()) {
      text += fmt::format("{} or more", alternative.substr(0, dots));
    } else {
      text += fmt::format("{} to {}", alternative.substr(0, dots), alternative.substr(dots + 2));
    }
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    size_t end = std::min(text.find(separator), text.size());
    std::string_view piece = trimmed(text.substr(0, end));
    if (!piece.empty()) pieces.emplace_back(piece);
    if (end == text.size()) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

std::optional<std::string> likely_meant(std::string_view text, const std::vector<std::string>& names) {
  std::optional<std::string> nearest;
  size_t least = 0;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(upper(text), upper(name));
    if (distance > std::max<size_t>(2, name.size() / 3) || distance + 1 > std::min(name.size(), text.size())) continue;
    if (nearest && distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

}  // namespace cppgen::setting_values
