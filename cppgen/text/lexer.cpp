#include "cppgen/text/lexer.h"

#include <fmt/format.h>

#include "runtime/base/printable.h"

namespace cppgen::text {
namespace {

// Longer ones first.
constexpr std::string_view kSigns[] = {"..", "<=", "(", ")", "[", "]", "{", "}", ",",
                                       ":",  "=",  "<", "-", "+", "*", "@", "?", "#"};
constexpr int kMostSameNames = 1 << 30;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_decimal(c); }
bool is_value_letter(char c) { return is_word(c) || c == '.' || c == '/'; }

int hex_digit(char c) {
  if (is_decimal(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void Lexer::fail(Place place, const std::string& what) const {
  throw PlacedError(fmt::format("{}:{}:{}: {}", file_, place.line, place.column, what));
}

void Lexer::advance(size_t count) {
  for (; count; count--, at_++) {
    const bool new_line = text_[at_] == '\n';
    place_ = new_line ? Place{place_.line + 1, 1} : Place{place_.line, place_.column + 1};
  }
}

void Lexer::skip_blanks() {
  for (;;) {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') advance(1);
    if (peek() != '/' || peek(1) != '/') return;
    while (at_ < text_.size() && peek() != '\n') advance(1);
  }
}

std::string_view Lexer::take_while(bool (*holds)(char)) {
  const size_t begin = at_;
  while (at_ < text_.size() && holds(text_[at_])) advance(1);
  return text_.substr(begin, at_ - begin);
}

Token Lexer::next() {
  skip_blanks();
  if (at_ == text_.size()) return {TokenKind::end, "", 0, place_};
  const Place place = place_;
  if (is_letter(peek())) return name();
  if (is_decimal(peek())) return number();
  if (peek() == '%') return value();
  if (peek() == '"') return {TokenKind::quoted, string(), 0, place};
  return sign();
}

// A point belongs to a name if a letter follows it.
Token Lexer::name() {
  const Place place = place_;
  std::string name(take_while(is_word));
  while (peek() == '.' && is_letter(peek(1))) {
    advance(1);
    name += "." + std::string(take_while(is_word));
  }
  return {TokenKind::name, std::move(name), 0, place};
}

Token Lexer::value() {
  const Place place = place_;
  advance(1);
  std::string name = peek() == '"' ? string() : std::string(take_while(is_value_letter));
  if (name.empty() && text_[at_ - 1] == '%') fail(place, "expected the name of a value after %");
  int number = 0;
  if (peek() == '#' && is_decimal(peek(1))) {
    advance(1);
    for (char digit : take_while(is_decimal)) {
      if (number > kMostSameNames / 10 - 1) fail(place, "the number after # is too large");
      number = number * 10 + (digit - '0');
    }
  }
  return {TokenKind::value, std::move(name), number, place};
}

Token Lexer::number() {
  const Place place = place_;
  const size_t begin = at_;
  take_while(is_word);  // 12, 0x1f, 1e5
  if (peek() == '.' && is_decimal(peek(1))) {
    advance(1);
    take_while(is_word);
  }
  const bool exponent = text_[at_ - 1] == 'e' && text_.substr(begin, 2) != "0x";
  if (exponent && (peek() == '-' || peek() == '+')) {
    advance(1);
    take_while(is_decimal);
  }
  return {TokenKind::number, std::string(text_.substr(begin, at_ - begin)), 0, place};
}

Token Lexer::sign() {
  for (std::string_view sign : kSigns) {
    if (!text_.substr(at_).starts_with(sign)) continue;
    const Place place = place_;
    advance(sign.size());
    return {TokenKind::sign, std::string(sign), 0, place};
  }
  fail(place_, fmt::format("'{}' is not allowed here", one_line(text_.substr(at_, 1))));
}

std::string Lexer::string() {
  const Place place = place_;
  std::string out;
  for (advance(1); peek() != '"'; advance(1)) {
    if (at_ == text_.size() || peek() == '\n') fail(place, "the string has no end on this line");
    if (peek() == '\\')
      escaped(out);
    else
      out += peek();
  }
  advance(1);
  return out;
}

// Ends at the last character of what it reads.
void Lexer::escaped(std::string& out) {
  const char c = peek(1);
  if (c == '"' || c == '\\') {
    out += c;
    return advance(1);
  }
  const int high = c == 'x' ? hex_digit(peek(2)) : -1, low = high < 0 ? -1 : hex_digit(peek(3));
  if (low < 0) fail(place_, "expected \\\", \\\\ or \\x and two digits 0-9, a-f");
  out += static_cast<char>(high * 16 + low);
  advance(3);
}

}  // namespace cppgen::text
