#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "cppgen/ir/program.h"

namespace cppgen::package {

// For each input of the program, in order: the smallest constant extent that its integers index, directly or after
// element-wise steps, which bounds random inputs; 0 if there is none. A plan and the interpreter use the same random
// inputs, so this is computed for the program of ops::lower without library calls, not for a scheduled one.
std::vector<int64_t> index_extents(const ir::Program&);

// For each buffer of any program whose integers are read as indices: the smallest extent that they index; 1 if an
// extent is known only at run time.
std::map<ir::BufferId, int64_t> extents_of_index_buffers(const ir::Program&);

}  // namespace cppgen::package
