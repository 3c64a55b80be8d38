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
  RE2::Options options(RE2::Quiet);
  options.set_longest_match(true);
  for (const std::string& pattern : fields.patterns) {
    patterns_.push_back(std::make_unique<RE2>(pattern, options));
    if (!patterns_.back()->ok())
      user_error("{}: '{}' is not a valid regular expression: {}", origin, pattern, patterns_.back()->error());
  }
}

void Tokens::add(std::vector<std::string>& tokens, std::string_view token) const {
  if (!token.empty() && characters_of(token) >= fewest_) tokens.emplace_back(token);
}

std::vector<std::string> Tokens::between(const RE2& separator, const std::vector<std::string>& texts) const {
  std::vector<std::string> tokens;
  for (const std::string& text : texts) {
    size_t begin = 0, from = 0;
    for (re2::StringPiece found; separator.Match(text, from, text.size(), RE2::UNANCHORED, &found, 1);) {
      const size_t at = size_t(found.data() - text.data());
      if (!found.empty()) add(tokens, std::string_view(text).substr(begin, at - begin)), begin = at + found.size();
      if (at == text.size()) break;
      from = found.empty() ? at + first_character(std::string_view(text).substr(at)) : begin;
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
  const re2::StringPiece all(text.data(), text.size());  // a string_view of the standard library, or another one
  re2::StringPiece found;
  for (size_t from = 0; patterns_[0]->Match(all, from, text.size(), RE2::UNANCHORED, &found, 1);) {
    const size_t at = size_t(found.data() - text.data());
    add(tokens, {found.data(), found.size()});
    if (at == text.size()) break;
    from = found.empty() ? at + first_character(text.substr(at)) : at + found.size();
  }
  return tokens;
}

}  // namespace cppgen::rt
