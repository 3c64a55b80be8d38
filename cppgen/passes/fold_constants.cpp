#include "cppgen/passes/fold_node.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

void fold_all(Graph& graph, const PassOptions& options, bool dequantize) {
  // Users know the inferred types: a result whose shape only the data decides would change them here.
  const FoldLimits limits{ir::kUnbounded, /*unknown_shapes=*/false, dequantize};
  for (size_t i = 0; i < graph.nodes.size(); i++) fold_node(graph, NodeId(i), options, limits);
}

}  // namespace

void fold_constants(Graph& graph, const PassOptions& options) { fold_all(graph, options, false); }

void fold_dequantized_constants(Graph& graph, const PassOptions& options) { fold_all(graph, options, true); }

}  // namespace cppgen::passes
