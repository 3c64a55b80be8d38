#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/errors.h"

namespace cppgen::text {

// A place in a text, both from 1; columns count bytes.
struct Place {
  int line = 1, column = 1;
};

// A UserError whose message begins with file, line and column.
struct PlacedError : UserError {
  using UserError::UserError;
};

enum class TokenKind : uint8_t {
  name,    // Gelu, com.microsoft.Gelu
  value,   // %y, %"any name", %y#1: `text` is the name, `number` what follows #
  number,  // 12, 0x1f, 1.5, 1e-3
  quoted,  // "text", with \" \\ and \x0a
  sign,
  end,
};

struct Token {
  TokenKind kind;
  std::string text;  // of strings: the content
  int number;        // of values
  Place place;
};

// Splits a text into tokens; // begins a comment. UserError at what is none, with the file, line and column.
class Lexer {
 public:
  Lexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}
  Token next();
  [[noreturn]] void fail(Place, const std::string& what) const;

 private:
  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  Place place_;

  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void advance(size_t count);
  void skip_blanks();
  std::string_view take_while(bool (*holds)(char));
  Token name();
  Token value();
  Token number();
  Token sign();
  std::string string();
  void escaped(std::string& out);
};

}  // namespace cppgen::text
