#pragma once
#include <string>
#include <vector>

#include "cppgen/custom/term.h"

namespace cppgen::custom {

struct Token {
  enum Kind : uint8_t { name, number, quoted, sign, end } kind;
  std::string text;  // without quotes
  size_t position;
};

// UserError at a character that does not start a token. The last token marks the end.
std::vector<Token> tokens_of(const rt::CustomText&);

}  // namespace cppgen::custom
