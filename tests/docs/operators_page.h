#pragma once
#include <string>

namespace cppgen::docs {

// docs/operators.md as it should be. Versions come from the operator table; types, vectors and what is not supported
// from what the compiler does with the samples of tests/differential.
std::string operators_page();

}  // namespace cppgen::docs
