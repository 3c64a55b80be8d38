#include "cppgen/diagram/display_text.h"

#include <cstdint>
#include <vector>

namespace cppgen {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The bytes of the character that begins the text, or 0 if these are not UTF-8. Surrogates, overlong forms and U+FFFE
// and U+FFFF, which XML does not allow, count as wrong.
size_t length_of_first(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint32_t(uint8_t(text[i])) : 0; };
  const uint32_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0x7f >> length);
  for (size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool allowed = code >= kLeast[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) &&
                       code != 0xfffe && code != 0xffff && (code < 0x80 || code >= 0xa0);
  return allowed ? length : 0;
}

bool is_control(char c) { return (uint8_t(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

size_t columns_of_character(size_t bytes) { return bytes >= 3 ? 2 : 1; }

// Calls f(the bytes of a character, or U+FFFD).
template <class F>
void each_character(std::string_view text, const F& f) {
  while (!text.empty()) {
    const size_t length = length_of_first(text);
    const bool bad = length == 0 || is_control(text[0]);
    f(bad ? kReplacement : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  each_character(text, [&](std::string_view character) {
    switch (character[0]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += character;
    }
  });
  return out;
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  each_character(text, [&](std::string_view character) { columns += columns_of_character(character.size()); });
  return columns;
}

std::string shortened(std::string_view text, size_t most) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= most || columns_of(text) <= most) return std::string(text);
  std::vector<std::string_view> characters;
  each_character(text, [&](std::string_view character) { characters.push_back(character); });
  const size_t kept = most > kDots.size() ? most - kDots.size() : 0;
  std::string begin, end;
  size_t used = 0;
  for (size_t i = 0; i < characters.size(); i++) {
    used += columns_of_character(characters[i].size());
    if (used > (kept + 1) / 2) break;
    begin += characters[i];
  }
  used = 0;
  for (size_t i = characters.size(); i-- > 0;) {
    used += columns_of_character(characters[i].size());
    if (used > kept / 2) break;
    end.insert(0, characters[i]);
  }
  return begin + std::string(kDots) + end;
}

}  // namespace cppgen
