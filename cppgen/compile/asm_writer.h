#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/compile/kernel_builder.h"

namespace cppgen {

// Compiles the units to assembly with the builder's compiler, several at once, and writes NAME.s and NAME.vectors.txt
// (its report on vectorisation) to the folder `dir`. UserError, which begins with `what`, if a file cannot be written;
// a unit that does not compile causes a warning. Throws Cancelled if the options' token is set.
void write_assembly(const std::vector<CompileJob>&, const CompileOptions&, KernelBuilder&, const std::string& dir,
                    const std::string& what);

// The instructions and labels of each function of the units, by its name.
std::map<std::string, std::string> assembly_of(const std::vector<CompileJob>&, const CompileOptions&, KernelBuilder&);

}  // namespace cppgen
