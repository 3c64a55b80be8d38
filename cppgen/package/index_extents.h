#pragma once
#include <cstdint>
#include <vector>

#include "cppgen/ir/program.h"

namespace cppgen::package {

// For each input of the program, in order: the least constant extent that its integers index, as they are or after
// element-wise steps, which is what random inputs have to keep to; 0 if there is none. A plan and the interpreter draw
// the same inputs, so this is asked of the program of ops::lower without library calls, not of one that was scheduled.
std::vector<int64_t> index_extents(const ir::Program&);

}  // namespace cppgen::package
