#pragma once
#include <string>

#include "runtime/plan/plan.h"

namespace cppgen::report {

// A C++17 header with a struct `name` for the compiled model: its inputs and outputs by their names, with element types
// and dimensions that are checked when a program is compiled. `package`: where the program finds it by default; may be
// empty. The header needs cppgen.hpp alone. `name` must be an identifier.
std::string model_header(const std::string& name, const rt::Plan&, const std::string& package);

}  // namespace cppgen::report
