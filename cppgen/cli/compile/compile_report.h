#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

// The text that `cppgen compile` prints about the package that it wrote.
std::string compile_text(const CompileOptionsGiven&, const CompileReport&);

}  // namespace cppgen
