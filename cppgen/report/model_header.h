#pragma once
#include <string>
#include <string_view>

#include "runtime/plan/plan.h"

namespace cppgen::report {

// A word of letters, digits and '_' that C++ takes as a name, made from the name of a model, an input or an output.
std::string identifier_of(std::string_view name);

// A C++17 header with a struct `name` for the compiled model: its inputs and outputs by their names, with element types
// and dimensions that are checked when a program is compiled. `package`: where the program finds it by default; may be
// empty. The header needs cppgen.hpp alone. `name` must be an identifier.
std::string model_header(const std::string& name, const rt::Plan&, const std::string& package);

}  // namespace cppgen::report
