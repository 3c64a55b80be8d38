#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/calls/host_strings.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::rt {

// The tokens of a string, as the operator Tokenizer of com.microsoft finds them.
class Tokens {
 public:
  // UserError naming the step for a pattern that is not a valid regular expression.
  Tokens(const TokensCall&, const std::string& origin);
  std::vector<std::string> of(std::string_view text) const;

 private:
  void add(std::vector<std::string>& tokens, std::string_view token) const;
  std::vector<std::string> between(const Regex&, const std::vector<std::string>& texts) const;

  TokenKind kind_;
  size_t fewest_;
  std::vector<std::unique_ptr<const Regex>> patterns_;
};

}  // namespace cppgen::rt
