// Dimensions that only a run knows, as inference notes them.
#include <algorithm>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

IndexExpr InferContext::unknown_dimension(int output, size_t d, const std::string& hint) {
  const std::optional<TensorType>& type = graph_.value(node_.outputs[size_t(output)]).type;
  if (type && d < type->shape.size() && ir::is_fresh_symbol(type->shape[d])) return type->shape[d];
  return index().fresh_symbol(hint);
}

const Op* InferContext::row() const { return find(graph_, node_); }

bool InferContext::can_resolve() const { return row() && row()->resolve; }

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
  const auto& names = node_.facts.run_time_symbols;
  if (names && k < names->size() && !(*names)[k].empty()) return index().symbol((*names)[k]);
  return index().fresh_symbol(hint);
}

void InferContext::note_resolved(const std::vector<IndexExpr>& elements) {
  std::vector<std::string> names;
  for (IndexExpr e : elements) names.push_back(ir::is_fresh_symbol(e) ? e.node()->name : "");
  graph_.nodes[size_t(node_.id)].facts.run_time_symbols = std::move(names);
}

void InferContext::compare_in_run(IndexExpr a, IndexExpr b) {
  if (compared_) compared_->emplace_back(a, b);
}

namespace {

bool is_of_a_run(const Value& v) {
  return (v.type && std::any_of(v.type->shape.begin(), v.type->shape.end(), ir::depends_on_fresh_symbols)) ||
         (v.contents && std::any_of(v.contents->begin(), v.contents->end(), ir::depends_on_fresh_symbols));
}

// Returns whether inference can find dimensions to compare: kernels do the node, and only a run knows some of what it
// takes.
bool may_compare(const Graph& graph, const Node& node) {
  if (is_host(graph, node) || !bodies_of(node).empty()) return false;
  if (node.op == "Squeeze" && node.domain.empty()) return true;
  return node.facts.run_time_symbols || std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
           return v != kNoValue && is_of_a_run(graph.value(v));
         });
}

}  // namespace

ComparedDims compared_in_run(Graph& graph, NodeId id) {
  ComparedDims compared;
  const Node& node = graph.nodes.at(size_t(id));
  const Op* op = find(graph, node);
  if (!op || !may_compare(graph, node)) return compared;
  // Existing entries are kept: a repeated inference may assign other symbols, which nothing computes.
  const Node kept = node;
  std::vector<Value> outputs;
  for (ValueId v : kept.outputs)
    if (v != kNoValue) outputs.push_back(graph.value(v));
  InferContext c(graph, node);
  c.compared_ = &compared;
  op->infer(c);
  graph.nodes[size_t(id)] = kept;
  for (Value& v : outputs) graph.value(v.id) = std::move(v);
  return compared;
}

bool compares_in_run(const Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& n) { return may_compare(graph, n); }))
    return false;
  Graph copy = deep_copy(graph);  // inference sets types
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return !compared_in_run(copy, node.id).empty(); });
}

}  // namespace cppgen::ops
