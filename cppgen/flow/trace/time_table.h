#pragma once
#include <string>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

// TIME_COMPILATION: the report as a table of lines with the seconds of each stage, and below it of its passes or
// translation units, which say whether they came from the cache.
std::string time_table(const CompileReport&, const std::string& model);

}  // namespace cppgen
