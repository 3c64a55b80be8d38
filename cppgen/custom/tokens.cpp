#include "cppgen/custom/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runtime/base/errors.h"

namespace cppgen::custom {
namespace {

constexpr size_t kMostCharacters = 65536;
// Longer ones first.
constexpr std::string_view kSigns[] = {"...", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%",
                                       "<",   ">",  "=",  "(",  ")",  "[",  "]", ",", ":", ";", "."};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

class Lexer {
 public:
  explicit Lexer(const rt::CustomText& source) : source_(source), text_(source.text) {}

  std::vector<Token> run() {
    if (text_.size() > kMostCharacters)
      fail_at(source_, 0, fmt::format("has more than {} characters", kMostCharacters));
    for (;;) {
      while (at_ < text_.size() && is_space(text_[at_])) at_++;
      if (at_ == text_.size()) break;
      tokens_.push_back(next());
    }
    tokens_.push_back({Token::end, "the end", at_});
    return std::move(tokens_);
  }

 private:
  const rt::CustomText& source_;
  const std::string& text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;

  template <class F>
  std::string while_true(const F& holds) {
    const size_t begin = at_;
    while (at_ < text_.size() && holds(text_[at_])) at_++;
    return text_.substr(begin, at_ - begin);
  }

  Token next() {
    const size_t begin = at_;
    const char c = text_[at_];
    if (is_letter(c)) return {Token::name, while_true([](char k) { return is_letter(k) || is_digit(k); }), begin};
    if (is_digit(c)) return {Token::number, number(), begin};
    if (c == '"' || c == '\'') {
      const size_t close = text_.find(c, at_ + 1);
      if (close == std::string::npos) fail_at(source_, begin, "an unterminated string");
      at_ = close + 1;
      return {Token::quoted, text_.substr(begin + 1, close - begin - 1), begin};
    }
    for (std::string_view sign : kSigns)
      if (std::string_view(text_).substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return {Token::sign, std::string(sign), begin};
      }
    fail_at(source_, begin, fmt::format("'{}' is not allowed here", c));
  }

  // A dimension follows a dot without a fraction: x.1, x.0. So does what follows a name.
  std::string number() {
    std::string digits = while_true(is_digit);
    const bool after_dot = !tokens_.empty() && tokens_.back().text == "." && tokens_.back().kind == Token::sign;
    if (after_dot) return digits;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      at_++;
      digits += "." + while_true(is_digit);
    }
    const size_t sign = at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '+') ? 1 : 0;
    if (at_ + 1 + sign < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E') && is_digit(text_[at_ + 1 + sign])) {
      digits += text_.substr(at_, 1 + sign);
      at_ += 1 + sign;
      digits += while_true(is_digit);
    }
    return digits;
  }
};

}  // namespace

std::string place_of(const rt::CustomText& source, size_t position) {
  const std::string before = source.text.substr(0, position);
  const size_t line = size_t(std::count(before.begin(), before.end(), '\n')) + 1, end = before.rfind('\n');
  const size_t column = before.size() - (end == std::string::npos ? 0 : end + 1) + 1;
  if (source.text.find('\n') == std::string::npos) return fmt::format("{}, column {}", source.place, column);
  return fmt::format("{}, line {}, column {}", source.place, line, column);
}

void fail_at(const rt::CustomText& source, size_t position, const std::string& what) {
  user_error("{}: {}", place_of(source, position), what);
}

std::vector<Token> tokens_of(const rt::CustomText& source) { return Lexer(source).run(); }

}  // namespace cppgen::custom
