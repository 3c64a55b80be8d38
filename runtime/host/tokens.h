#pragma once
#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/plan/module.h"

namespace cppgen::rt {

// The tokens of a string, as the operator Tokenizer of com.microsoft finds them. A step's texts are the filling and the
// patterns; its integers whether rows are marked, the fewest characters of a token, and the kind.
class Tokens {
 public:
  // Each character; what lies between the matches of one pattern after the other; the matches of a pattern.
  enum Kind : int64_t { characters, separated, matches };

  explicit Tokens(const HostStep&);  // UserError for a pattern that is no regular expression
  std::vector<std::string> of(std::string_view text) const;

 private:
  void add(std::vector<std::string>& tokens, std::string_view token) const;
  std::vector<std::string> between(const RE2&, const std::vector<std::string>& texts) const;

  Kind kind_;
  size_t fewest_;
  std::vector<std::unique_ptr<RE2>> patterns_;  // of equal beginnings the longest match
};

}  // namespace cppgen::rt
