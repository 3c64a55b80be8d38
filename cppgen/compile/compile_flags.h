#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_options.h"

namespace cppgen {

// The options of one kernel unit, without compiler, include path and files: the fixed ones (see the .cpp), then the
// optimisation level, the ISA's, those of DEBUG_LEVEL, and the extra ones of the options and of the unit, which take
// precedence. With a sanitizer among them, the object is linked against its libraries. The same arguments give the same
// list: it is part of the kernel key.
std::vector<std::string> kernel_flags(const CompileOptions&, const std::vector<std::string>& isa_flags,
                                      const std::vector<std::string>& flags_of_unit = {});

// Drops those that only a linker understands, for commands that end before linking.
std::vector<std::string> without_linker_flags(const std::vector<std::string>& flags);

// True if the flags request instrumentation whose run-time library the object requires.
bool is_instrumented(const std::vector<std::string>& flags);

// The only symbols that an uninstrumented kernel object may leave undefined: g++ may emit calls to them for any code.
const std::vector<std::string>& allowed_undefined_symbols();

}  // namespace cppgen
