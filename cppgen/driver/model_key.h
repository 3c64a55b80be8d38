#pragma once
#include <string>

#include "cppgen/compile/compile_options.h"
#include "cppgen/driver/compiler.h"

namespace cppgen {

// Everything but the external data that decides what is in a package.
std::string model_key(const CompileRequest&, const CompileOptions&);

}  // namespace cppgen
