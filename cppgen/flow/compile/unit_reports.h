#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cppgen/compile/kernel_builder.h"
#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

// A report on translation units that were compiled to these objects.
std::vector<UnitReport> unit_reports(const std::vector<CompileJob>&, const std::vector<CompiledObject>&);

// Lines that say which log is that of which unit; those from the cache have none.
std::string units_text(const std::vector<CompileJob>&, const std::vector<CompiledObject>&, const KernelBuilder&);

// The spills in loops by kernel, from the assembly of all units.
std::map<std::string, int64_t> loop_spills_of(const std::vector<CompileJob>&, const CompileOptions&, KernelBuilder&);

}  // namespace cppgen
