#pragma once
#include "cppgen/ir/program.h"

namespace cppgen::schedule {

// Takes out the nests whose results nobody reads.
void drop_dead_nests(ir::Program&);

}  // namespace cppgen::schedule
