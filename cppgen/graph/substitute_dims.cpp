#include "cppgen/graph/substitute_dims.h"

namespace cppgen {

void substitute_dims(Graph& graph, const ir::IndexMap& map) {
  for (Value& value : graph.values) {
    if (value.type)
      for (ir::IndexExpr& d : value.type->shape) d = ir::substitute(d, map);
    if (value.contents)
      for (ir::IndexExpr& e : *value.contents) e = ir::substitute(e, map);
  }
  for (Node& node : graph.nodes)
    for (auto& [name, attribute] : node.attributes)
      if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) {
        *body = std::make_shared<Graph>(deep_copy(**body));
        substitute_dims(**body, map);
      }
}

}  // namespace cppgen
