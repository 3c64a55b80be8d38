#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

struct FoldLimits {
  int64_t max_elements;  // of all outputs together
  bool unknown_shapes;   // also nodes whose result shape only the data decides
  bool dequantize;       // also DequantizeLinear, which the passes over quantized graphs look for
};

// Replaces the outputs of a typed node by constants, computed by the interpreter from the node's lowering. False, and
// nothing changed, if an input is no constant, the operator is random or has a body, a result is larger than the limit,
// or larger than 1 MiB and twice the node's inputs, or takes more than about 10^9 steps.
bool fold_node(Graph&, NodeId, const PassOptions&, const FoldLimits&);

// Makes a value whose elements are all known a constant. False if they are not.
bool fold_contents(Graph&, ValueId);

}  // namespace cppgen::passes
