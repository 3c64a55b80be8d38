#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::package {

// Returns, for each input of the program in order, the exclusive bound with which its integers, used as indices
// directly or after element-wise steps such as adding an offset, stay in the smallest dimension that they index; 0 if
// they index none. It bounds random inputs. A dimension of symbolic size counts with the least size that it can have. A
// plan and the interpreter use the same random inputs, so this is computed for the program of ops::lower without
// library calls, not for a scheduled one.
std::vector<int64_t> index_extents(const ir::Program&);

// Returns, for each buffer of any program whose integers are read as indices, the smallest extent that they index; 1 if
// an extent is known only at run time.
std::map<ir::BufferId, int64_t> extents_of_index_buffers(const ir::Program&);

}  // namespace cppgen::package
