#include "cppgen/text/reader.h"

#include <fmt/format.h>

#include <charconv>

#include "runtime/base/printable.h"

namespace cppgen::text {
namespace {

constexpr size_t kShown = 40;

}  // namespace

Reader::Reader(std::string_view text, std::string file) : lexer_(text, std::move(file)), next_(lexer_.next()) {}

Token Reader::take() {
  Token token = std::move(next_);
  next_ = lexer_.next();
  return token;
}

bool Reader::at_sign(std::string_view sign) const { return next_.kind == TokenKind::sign && next_.text == sign; }
bool Reader::at_word(std::string_view word) const { return next_.kind == TokenKind::name && next_.text == word; }

bool Reader::accept_sign(std::string_view sign) {
  const bool is_next = at_sign(sign);
  if (is_next) take();
  return is_next;
}

bool Reader::accept_word(std::string_view word) {
  const bool is_next = at_word(word);
  if (is_next) take();
  return is_next;
}

void Reader::expect_sign(std::string_view sign) {
  if (!accept_sign(sign)) expected(fmt::format("'{}'", sign));
}

void Reader::expect_word(std::string_view word) {
  if (!accept_word(word)) expected(fmt::format("'{}'", word));
}

void Reader::expect_end() {
  if (!at(TokenKind::end)) expected("the end of the text");
}

std::string Reader::name(const char* what) {
  if (!at(TokenKind::name) || next_.text.find('.') != next_.text.npos) expected(what);
  return take().text;
}

std::string Reader::any_name(const char* what) { return at(TokenKind::quoted) ? take().text : name(what); }

std::string Reader::string(const char* what) {
  if (!at(TokenKind::quoted)) expected(what);
  return take().text;
}

int64_t Reader::integer(const char* what) {
  const Place place = next_.place;
  std::string text = accept_sign("-") ? "-" : "";
  if (!at(TokenKind::number)) expected(what);
  text += take().text;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail_at(place, fmt::format("{} is not in the range of int64", text));
  if (error != std::errc() || end != text.data() + text.size())
    fail_at(place, fmt::format("expected {}, found {}", what, text));
  return value;
}

int64_t Reader::integer(const char* what, int64_t least, int64_t greatest) {
  const Place place = next_.place;
  const int64_t value = integer(what);
  if (value < least || value > greatest)
    fail_at(place, fmt::format("{} is {}, but must be in [{}, {}]", what, value, least, greatest));
  return value;
}

uint64_t Reader::bits(const char* what) {
  const Token token = next_;
  if (!at(TokenKind::number) || !token.text.starts_with("0x")) expected(what);
  take();
  uint64_t value = 0;
  const char *begin = token.text.data() + 2, *last = token.text.data() + token.text.size();
  const auto [end, error] = std::from_chars(begin, last, value, 16);
  if (error != std::errc() || end != last) fail_at(token.place, fmt::format("expected {}, found {}", what, token.text));
  return value;
}

std::string Reader::number(const char* what) {
  const std::string sign = accept_sign("-") ? "-" : "";
  const bool special = at_word("inf") || at_word("nan");
  if (!special && !at(TokenKind::number)) expected(what);
  return sign + take().text;
}

std::string Reader::found() const {
  switch (next_.kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::quoted:
      return "the string \"" + shortened_line(next_.text, kShown) + "\"";
    case TokenKind::value:
      return "the value %" + shortened_line(next_.text, kShown);
    default:
      return "'" + shortened_line(next_.text, kShown) + "'";
  }
}

void Reader::expected(const std::string& what) const { fail(fmt::format("expected {}, found {}", what, found())); }

Reader::Level::Level(const Reader& reader, int& depth, int most, const char* what) : depth_(depth) {
  if (depth >= most) reader.fail(fmt::format("{} are nested more than {} levels deep", what, most));
  depth++;
}

}  // namespace cppgen::text
