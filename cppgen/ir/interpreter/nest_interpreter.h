#pragma once
#include "cppgen/ir/interpreter/strip_program.h"
#include "cppgen/ir/program/program.h"

namespace cppgen::ir {

// Runs one nest. `tensors` are the program's buffers by id, those it uses being allocated; `symbols` gives the values
// of dimension symbols.
void interpret_nest(const LoopNest&, const std::vector<TensorView>& tensors, const IndexEnv& symbols);

}  // namespace cppgen::ir
