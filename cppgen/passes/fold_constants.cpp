#include "cppgen/passes/fold_constants.h"

#include "cppgen/passes/fold_node.h"

namespace cppgen::passes {

void fold_constants(Graph& graph, const PassOptions& options, bool dequantize) {
  // Users know the inferred types: a result whose shape only the data decides would change them here.
  const FoldLimits limits{ir::kUnbounded, /*unknown_shapes=*/false, dequantize};
  for (size_t i = 0; i < graph.nodes.size(); i++) fold_node(graph, NodeId(i), options, limits);
}

}  // namespace cppgen::passes
