#pragma once
#include <span>
#include <string>
#include <utility>

#include "runtime/base/settings.h"

namespace cppgen {

// All settings of the compiler on this machine: names and values that a caller gives, which precede the variables of
// the environment. UserError for a value that is not allowed. Warnings are in Settings::warnings.
Settings compiler_settings(const Environment&, std::span<const std::pair<std::string, std::string>> given);

}  // namespace cppgen
