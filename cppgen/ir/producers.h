#pragma once
#include <string>

#include "cppgen/ir/program.h"

namespace cppgen::ir {

// The node of the model whose statement stores the buffer first; "" if none does.
std::string node_that_stores(const Program&, BufferId);

}  // namespace cppgen::ir
