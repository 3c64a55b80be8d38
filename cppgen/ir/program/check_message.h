#pragma once
#include <optional>
#include <string>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {

// The message of this indirect variable's failed check if its purpose is a sentence, which ends in a full stop: then
// the error is not an index of the model, and sizes would not be meaningful.
inline std::optional<std::string> sentence_of(const IndexNode& variable) {
  const std::string& purpose = variable.purpose;
  return purpose.ends_with('.') ? std::optional(purpose.substr(0, purpose.size() - 1)) : std::nullopt;
}

}  // namespace cppgen::ir
