#include "cppgen/import/unfreeze.h"

#include <utility>
#include <vector>

namespace cppgen::import {

void unfreeze(Graph& graph, const std::set<std::string, std::less<>>& listed) {
  std::vector<bool> read(graph.values.size(), false);
  for (const Node& node : graph.nodes)
    for (ValueId v : node.inputs)
      if (v != kNoValue) read[size_t(v)] = true;
  for (size_t v = 0; v < graph.values.size(); v++) {
    Value& value = graph.values[v];
    if (!read[v] || !value.constant || !is_float(value.constant->dtype)) continue;
    if (value.constant->dims.size() < 2 && !listed.contains(value.name)) continue;
    value.preset = std::exchange(value.constant, std::nullopt);
    value.type = TensorType{value.preset->dtype, Shape(value.preset->dims.begin(), value.preset->dims.end())};
    value.contents.reset();
    graph.inputs.push_back(value.id);
  }
}

}  // namespace cppgen::import
