#pragma once
#include <optional>

#include "cppgen/forms/attention/keys_seen.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/kernel.h"

namespace cppgen::forms {

// Finds a condition on indices, or a constant mask, that replaces the score by a constant; nullopt if there is none
// that hides the last keys of some rows.
std::optional<KeysSeen> keys_seen(const ir::Program&, const schedule::Attention&);

}  // namespace cppgen::forms
