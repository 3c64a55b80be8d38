#pragma once
#include <map>

#include "cppgen/ir/program.h"

namespace cppgen::package {

// Graph inputs whose integers are used as indices, as they are or after element-wise steps, with the least constant
// extent that they index: what random inputs have to keep to.
std::map<ir::BufferId, int64_t> index_extents(const ir::Program&);

}  // namespace cppgen::package
