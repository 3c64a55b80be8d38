#pragma once
#include <vector>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

// What the operators of ai.onnx.ml are, or become by passes/learner.h.
void add_learner_ops(std::vector<Op>&);
void add_tree_ops(std::vector<Op>&);
void add_map_ops(std::vector<Op>&);

}  // namespace cppgen::ops
