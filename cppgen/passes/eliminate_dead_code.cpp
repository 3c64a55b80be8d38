#include <algorithm>
#include <set>

#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

using Symbols = std::set<std::string>;

void add_fresh_symbols(const Value& value, Symbols& symbols) {
  auto add = [&](const IndexExpr& e) {
    for (const ir::IndexNode* n : ir::variables_of(e))
      if (n->fresh) symbols.insert(n->name);
  };
  if (value.type) std::for_each(value.type->shape.begin(), value.type->shape.end(), add);
  if (value.contents) std::for_each(value.contents->begin(), value.contents->end(), add);
}

void add_fresh_symbols_of_bodies(const Node& node, Symbols& symbols) {
  for (const auto& body : bodies_of(node)) {
    for (const Value& value : body->values) add_fresh_symbols(value, symbols);
    for (const Node& inner : body->nodes) add_fresh_symbols_of_bodies(inner, symbols);
  }
}

// Returns, for each node, the symbols of run-time dimensions that occur first in its outputs.
std::vector<Symbols> defined_symbols(const Graph& graph) {
  std::vector<Symbols> defined(graph.nodes.size());
  Symbols seen;
  for (ValueId v : graph.inputs) add_fresh_symbols(graph.value(v), seen);
  for (size_t i = 0; i < graph.nodes.size(); i++)
    for (ValueId out : graph.nodes[i].outputs) {
      if (out == kNoValue || !graph.value(out).type) continue;
      for (const IndexExpr& d : graph.value(out).type->shape)
        if (ir::is_fresh_symbol(d) && seen.insert(d.node()->name).second) defined[i].insert(d.node()->name);
    }
  return defined;
}

}  // namespace

void eliminate_dead_code(Graph& graph, const PassOptions&) {
  std::vector<bool> live(graph.values.size()), keep(graph.nodes.size());
  Symbols needed;
  auto use = [&](ValueId v) {
    if (v == kNoValue) return;
    live[size_t(v)] = true;
    add_fresh_symbols(graph.value(v), needed);
  };
  const std::vector<Symbols> defined = defined_symbols(graph);
  std::for_each(graph.outputs.begin(), graph.outputs.end(), use);
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    keep[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId out) { return out != kNoValue && live[size_t(out)]; }) ||
              std::any_of(defined[i].begin(), defined[i].end(), [&](const auto& s) { return needed.count(s) > 0; });
    if (!keep[i]) continue;
    std::for_each(node.inputs.begin(), node.inputs.end(), use);
    for (ValueId out : node.outputs)
      if (out != kNoValue) add_fresh_symbols(graph.value(out), needed);
    add_fresh_symbols_of_bodies(node, needed);
  }
  compact(graph, keep);
}

}  // namespace cppgen::passes
