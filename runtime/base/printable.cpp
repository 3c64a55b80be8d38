#include "runtime/base/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace cppgen {
namespace {

// The number of bytes of the character of UTF-8 that the text begins with; 0 if there is none.
size_t length_of_character(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first < 0xe0   ? 2
                        : (first & 0xf0) == 0xe0        ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  for (size_t i = 1; i < length; i++)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  return too_long ? 0 : length;
}

// Controls of C0 and C1, and those of Unicode that break lines or change the direction of text.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  const auto last = static_cast<unsigned char>(character.back());
  if (first == 0xc2) return last < 0xa0;
  if (character.starts_with("\xe2\x80")) return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return character == "\xd8\x9c" || (character.starts_with("\xe2\x81") && last >= 0xa6 && last <= 0xaf);
}

// The number of a character of at most three bytes, as all controls are.
uint32_t code_of(std::string_view character) {
  const auto byte = [&](size_t i) { return uint32_t(static_cast<unsigned char>(character[i])); };
  if (character.size() == 1) return byte(0);
  if (character.size() == 2) return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = length_of_character(text.substr(i));
    const std::string_view character = text.substr(i, std::max<size_t>(length, 1));
    i += character.size();
    if (length > 0 && (!is_control(character) || kept.find(character) != kept.npos))
      out += character;
    else
      for (const char c : character) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

// Replaces it in SCHEME://USER:PASSWORD@HOST; a single word in front of the @ may be meant as a password, too.
std::string without_passwords(std::string_view message) {
  std::string text(message);
  for (size_t at = 0; (at = text.find("://", at)) != text.npos;) {
    at += 3;
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    const size_t host = text.substr(0, end).rfind('@');
    if (host == text.npos || host < at) continue;
    const size_t colon = text.find(':', at);
    const size_t begin = colon < host ? colon + 1 : at;
    if (text.compare(begin, host - begin, "PASSWORD") == 0) continue;  // as help texts write it
    text.replace(begin, host - begin, "***");
  }
  return text;
}

}  // namespace

std::string one_line(std::string_view text) { return escaped(text, ""); }
std::string for_terminal(std::string_view text) { return escaped(without_passwords(text), "\n\t"); }

// The serializer has escaped the controls below 0x20; its own line breaks stay. No character from 0x7f on is part of
// the syntax, so each belongs to a string.
std::string json_for_terminal(std::string_view json) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  if (std::all_of(json.begin(), json.end(), is_ascii)) return std::string(json);
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size();) {
    const std::string_view character = json.substr(i, std::max<size_t>(length_of_character(json.substr(i)), 1));
    i += character.size();
    const uint32_t first = static_cast<unsigned char>(character[0]);
    if (first >= 0x7f && is_control(character))
      out += fmt::format("\\u{:04x}", code_of(character));
    else
      out += character;
  }
  return out;
}

std::string shortened_line(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return one_line(text);
  size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) end--;  // inside a character of UTF-8
  return one_line(text.substr(0, end)) + "...";
}

std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace cppgen
