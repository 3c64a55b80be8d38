#pragma once
#include <string>

#include "cppgen/cli/command_options.h"
#include "cppgen/flow/compiler.h"
#include "runtime/base/json_text.h"

namespace cppgen {

// What `cppgen compile` prints of the package that it wrote.
std::string compile_text(const CompileOptionsGiven&, const CompileReport&);
std::string compile_json(const CompileOptionsGiven&, const CompileReport&);

// {"read": seconds, ...}
Json stages_json(const CompileReport&);

}  // namespace cppgen
