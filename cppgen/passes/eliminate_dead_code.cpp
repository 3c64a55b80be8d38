#include "cppgen/passes/eliminate_dead_code.h"

#include <algorithm>

#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {

void eliminate_dead_code(Graph& graph) {
  std::vector<bool> live(graph.values.size()), keep(graph.nodes.size());
  for (ValueId out : graph.outputs) live[size_t(out)] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    keep[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId out) { return out != kNoValue && live[size_t(out)]; });
    if (!keep[i]) continue;
    for (ValueId in : node.inputs)
      if (in != kNoValue) live[size_t(in)] = true;
  }
  compact(graph, keep);
}

}  // namespace cppgen::passes
