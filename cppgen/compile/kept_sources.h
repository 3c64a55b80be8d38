#pragma once
#include <string>
#include <vector>

#include "cppgen/compile/compile_job.h"
#include "cppgen/compile/compile_options.h"

namespace cppgen {

// With DEBUG_LEVEL, the source of each unit stays in "<cache_dir>/sources", and the unit's debug information names it
// there. Units of equal source share the file.

// The options of the compiler for this; none without debug information or without cache_dir. They contain the path, so
// units whose debug information names another one have another kernel key.
std::vector<std::string> source_flags(const CompileJob&, const CompileOptions&);

// Writes the sources that source_flags names. A file that cannot be written causes a warning.
void keep_sources(const std::vector<CompileJob>&, const CompileOptions&);

}  // namespace cppgen
