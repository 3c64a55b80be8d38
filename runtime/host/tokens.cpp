#include "runtime/host/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

size_t characters_of(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), begins_character));
}

// The length of the first character in bytes.
size_t first_character(std::string_view text) {
  return size_t(std::find_if(text.begin() + 1, text.end(), begins_character) - text.begin());
}

}  // namespace

Tokens::Tokens(const TokensCall& fields, const std::string& origin)
    : kind_(fields.kind), fewest_(size_t(fields.fewest)) {
  std::string error;
  for (const std::string& pattern : fields.patterns) {
    patterns_.push_back(compile_regex(pattern, RegexMatch::longest, error));
    if (!patterns_.back()) user_error("{}: '{}' is not a valid regular expression: {}", origin, pattern, error);
  }
}

void Tokens::add(std::vector<std::string>& tokens, std::string_view token) const {
  if (!token.empty() && characters_of(token) >= fewest_) tokens.emplace_back(token);
}

std::vector<std::string> Tokens::between(const Regex& separator, const std::vector<std::string>& texts) const {
  std::vector<std::string> tokens;
  for (const std::string& text : texts) {
    size_t begin = 0, from = 0;
    while (const auto found = separator.find(text, from)) {
      const auto [at, length] = *found;
      if (length > 0) add(tokens, std::string_view(text).substr(begin, at - begin)), begin = at + length;
      if (at == text.size()) break;
      from = length == 0 ? at + first_character(std::string_view(text).substr(at)) : begin;
    }
    add(tokens, std::string_view(text).substr(begin));
  }
  return tokens;
}

std::vector<std::string> Tokens::of(std::string_view text) const {
  std::vector<std::string> tokens{std::string(text)};
  if (kind_ == TokenKind::separated) {
    for (const auto& separator : patterns_) tokens = between(*separator, tokens);
    return tokens;
  }
  tokens.clear();
  if (kind_ == TokenKind::characters) {
    for (; !text.empty(); text.remove_prefix(first_character(text)))
      tokens.emplace_back(text.substr(0, first_character(text)));
    return tokens;
  }
  size_t from = 0;
  while (const auto found = patterns_[0]->find(text, from)) {
    const auto [at, length] = *found;
    add(tokens, text.substr(at, length));
    if (at == text.size()) break;
    from = length == 0 ? at + first_character(text.substr(at)) : at + length;
  }
  return tokens;
}

}  // namespace cppgen::rt
