#include "cppgen/passes/infer_types.h"

#include "cppgen/ops/op.h"
#include "cppgen/passes/fold_node.h"
#include "cppgen/passes/recognize_embedding_bags.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {

static void infer_body_types(Graph& body, const PassOptions& options) {
  try {
    infer_types(body, options);
  } catch (const ops::UnequalDimensions& e) {
    throw ops::UnequalDimensions(e.what(), e.a, e.b, /*in_body=*/true);
  }
}

void infer_types(Graph& graph, const PassOptions& options) {
  const FoldLimits small{kAlwaysFolded, /*unknown_shapes=*/true, /*dequantize=*/!options.pattern_matcher};
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    auto id = NodeId(i);
    recognize_embedding_bag(graph, id);  // then the first node of what it became stands here
    ops::infer_node(graph, id, [&](Graph& body) { infer_body_types(body, options); });
    const std::vector<ValueId> outputs = graph.nodes[i].outputs;
    for (ValueId out : outputs) {
      if (out == kNoValue) continue;
      if (graph.value(out).host) continue;
      if (!graph.value(out).type)
        user_error("node {} ({}): the type of its output {} cannot be inferred", quoted(graph.nodes[i].name),
                   graph.nodes[i].op, quoted(graph.value(out).name));
      fold_contents(graph, out);
    }
    fold_node(graph, id, options, small);
  }
}

}  // namespace cppgen::passes
