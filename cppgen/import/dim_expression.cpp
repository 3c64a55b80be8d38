#include "cppgen/import/dim_expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

using ir::IndexExpr;
using Result = std::optional<IndexExpr>;

constexpr size_t kLongest = 200;  // characters of an expression

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.'; }

// Parses by recursive descent; nullopt at the first part that is not understood.
class Parser {
 public:
  Parser(std::string_view text, const NamedDimension& symbol) : text_(text), symbol_(symbol) {}

  Result all() {
    const Result value = sum();
    skip_spaces();
    return at_ == text_.size() ? value : std::nullopt;
  }

 private:
  std::string_view text_;
  const NamedDimension& symbol_;
  size_t at_ = 0;

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') at_++;
  }

  bool take(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Result sum() {
    Result left = term();
    while (left) {
      const bool plus = take("+");
      if (!plus && !take("-")) break;
      const Result right = term();
      if (!right) return std::nullopt;
      left = plus ? *left + *right : *left - *right;
    }
    return left;
  }

  Result term() {
    Result left = factor();
    while (left) {
      const bool quotient = take("//"), remainder = !quotient && take("%");
      if (!quotient && !remainder && !take("*")) break;
      const Result right = factor();
      if (!right || ((quotient || remainder) && right->range().lo < 1)) return std::nullopt;
      left = quotient ? floordiv(*left, *right) : remainder ? mod(*left, *right) : *left * *right;
    }
    return left;
  }

  Result factor() {
    skip_spaces();
    if (at_ == text_.size()) return std::nullopt;
    if (take("(")) {
      const Result inner = sum();
      return take(")") ? inner : std::nullopt;
    }
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    return starts_name(text_[at_]) ? name() : std::nullopt;
  }

  Result number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    return IndexExpr(value);
  }

  Result name() {
    const size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) at_++;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if ((found == "Max" || found == "Min") && take("(")) return extremum(found == "Max");
    return symbol_(found);
  }

  Result extremum(bool most) {
    Result value = sum();
    while (value && take(",")) {
      const Result next = sum();
      if (!next) return std::nullopt;
      value = most ? max(*value, *next) : min(*value, *next);
    }
    return take(")") ? value : std::nullopt;
  }
};

}  // namespace

Result parse_dim_expression(std::string_view text, const NamedDimension& symbol) {
  if (text.size() > kLongest) return std::nullopt;
  try {
    return Parser(text, symbol).all();
  } catch (const UserError&) {
    return std::nullopt;  // its numbers leave 64 bits
  }
}

}  // namespace cppgen::import
