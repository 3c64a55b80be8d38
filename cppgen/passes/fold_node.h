#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

struct FoldLimits {
  int64_t max_elements;  // of all outputs together
  bool unknown_shapes;   // also nodes whose result shape depends on the data
  bool dequantize;       // also DequantizeLinear, for which the passes over quantized graphs search
};

// Replaces the outputs of a typed node by constants, computed by the interpreter from the node's lowering. False, with
// nothing changed, if an input is not constant, the operator is random or has a body, or a result exceeds the limit,
// exceeds both 1 MiB and twice the node's inputs, or takes more than about 10^9 steps.
bool fold_node(Graph&, NodeId, const PassOptions&, const FoldLimits&);

// Turns a value whose elements are all known into a constant. False if they are not.
bool fold_contents(Graph&, ValueId);

}  // namespace cppgen::passes
