// Dimensions that only a run knows, as inference notes them.
#include "cppgen/ops/op.h"

namespace cppgen::ops {

IndexExpr InferContext::unknown_dimension(int output, size_t d, const std::string& hint) {
  const std::optional<TensorType>& type = graph_.value(node_.outputs[size_t(output)]).type;
  if (type && d < type->shape.size() && ir::is_fresh_symbol(type->shape[d])) return type->shape[d];
  return index().fresh_symbol(hint);
}

bool InferContext::can_resolve() const {
  const Op* op = find(node_.domain, node_.op, node_.opset);
  return op && op->resolve;
}

Shape InferContext::resolved_dimensions(int output, const PartialShape& dims) {
  Shape shape;
  for (size_t d = 0; d < dims.size(); ++d) shape.push_back(dims[d] ? *dims[d] : unknown_dimension(output, d, "dim"));
  std::vector<IndexExpr> noted = shape;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d]) noted[d] = IndexExpr();
  note_resolved(noted);
  return shape;
}

IndexExpr InferContext::resolved_symbol(size_t k, const std::string& hint) {
  if (const Attribute* a = attribute(kRunTimeSymbols)) {
    const auto& names = std::get<std::vector<std::string>>(*a);
    if (k < names.size() && !names[k].empty()) return index().symbol(names[k]);
  }
  return index().fresh_symbol(hint);
}

void InferContext::note_resolved(const std::vector<IndexExpr>& elements) {
  std::vector<std::string> names;
  for (IndexExpr e : elements) names.push_back(ir::is_fresh_symbol(e) ? e.node()->name : "");
  graph_.nodes[size_t(node_.id)].attributes[kRunTimeSymbols] = std::move(names);
}

void InferContext::compare_in_run(IndexExpr a, IndexExpr b) {
  if (compared_) compared_->emplace_back(a, b);
}

ComparedDims compared_in_run(Graph& graph, NodeId id) {
  ComparedDims compared;
  const Node& node = graph.nodes.at(size_t(id));
  InferContext c(graph, node);
  c.compared_ = &compared;
  if (const Op* op = find(node.domain, node.op, node.opset)) op->infer(c);
  return compared;
}

}  // namespace cppgen::ops
