#pragma once
#include <string_view>

namespace cppgen {

// UserError, naming `where`, if a value of DEBUG_LEVEL has an option other than those known to be harmless. Compilers
// have many that run programs, load plugins or read and write files (-wrapper, -B, -specs=, -fplugin=, -include, -o,
// @file), so these are listed here, and not those.
void check_debug_level(std::string_view where, std::string_view value);

}  // namespace cppgen
