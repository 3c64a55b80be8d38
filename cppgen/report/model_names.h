#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/dtype.h"

namespace cppgen::report {

// A word of letters, digits and '_' that C++ takes as a name, made from the name of a model, an input or an output.
std::string identifier_of(std::string_view name);

// Does the same for several names, which are then distinct.
std::vector<std::string> unique_identifiers(const std::vector<std::string>& names);

// The type of C, with <stdint.h> and <stdbool.h>, in which elements are stored.
std::string_view c_type(DType);

// The text as a literal of C and C++, in ASCII.
std::string c_literal(const std::string& text);

}  // namespace cppgen::report
