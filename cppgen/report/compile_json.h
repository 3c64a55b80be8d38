#pragma once
#include <cstdint>
#include <string>

#include "cppgen/flow/compile/compiler.h"
#include "runtime/base/json_text.h"

namespace cppgen::report {

// The size in bytes, each file counted once.
int64_t size_of_directory(const std::string&);

// {"read": seconds, ...}
Json stages_json(const CompileReport&);

// The answer of `cppgen compile`. `model`: its name; `package`: the directory that was written.
Json compile_json(const std::string& model, const std::string& package, const CompileReport&);

}  // namespace cppgen::report
