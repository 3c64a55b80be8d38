#include <algorithm>

#include "cppgen/ops/op.h"
#include "cppgen/passes/canonical_rules.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

// True if the node was changed in place; replacing its output shows as a changed input of its users.
bool apply_rules(Graph& graph, const Users& users, Replacements& replacements, size_t position) {
  bool changed = false;
  for (auto rules : {forwarding_rules(), shape_rules(), arithmetic_rules()})
    for (const CanonicalRule& rule : rules) {
      Node& node = graph.nodes[position];
      if (!node.domain.empty() || node.op != rule.op || node.outputs.empty() || node.outputs[0] == kNoValue) continue;
      if (node.facts.run_time_symbols) continue;  // where the dimensions of its outputs come from
      if (checks_in_run(graph, node.id)) continue;
      RuleContext context{graph, users, replacements, node};
      bool applied = rule.apply(context);
      if (replacements.resolve(node.outputs[0]) != node.outputs[0]) return changed;
      changed |= applied;
    }
  return changed;
}

}  // namespace

bool checks_in_run(Graph& graph, NodeId id) {
  const Node& node = graph.nodes[size_t(id)];
  constexpr std::string_view kTakeDeclaredShapes[] = {"Expand", "Reshape", "Slice", "Squeeze", "Tile", "Unsqueeze"};
  const bool takes = node.domain.empty() && std::count(std::begin(kTakeDeclaredShapes), std::end(kTakeDeclaredShapes),
                                                       std::string_view(node.op)) > 0;
  for (size_t i = 1; takes && i < node.inputs.size(); i++) {
    if (node.inputs[i] == kNoValue) continue;
    const Value& argument = graph.value(node.inputs[i]);
    if (!argument.constant && !argument.contents) return true;
  }
  return !ops::compared_in_run(graph, id).empty();
}

ValueId RuleContext::in(size_t i) const { return i < node.inputs.size() ? node.inputs[i] : kNoValue; }

const Tensor* RuleContext::constant(size_t i) const {
  if (in(i) == kNoValue) return nullptr;
  const Value& v = graph.value(in(i));
  return v.constant ? &*v.constant : nullptr;
}

Node* RuleContext::producer(size_t i) const {
  NodeId id = in(i) == kNoValue ? -1 : graph.value(in(i)).producer;
  return id < 0 ? nullptr : &graph.nodes[size_t(id)];
}

void canonicalize(Graph& graph, const PassOptions&) {
  // Nodes are visited in order, with inputs already replaced, so the first round settles nearly everything. Rules only
  // shorten chains or move to a later form, so rounds end.
  for (bool changed = true; changed;) {
    changed = false;
    const Users users(graph);
    Replacements replacements(graph);
    for (size_t i = 0; i < graph.nodes.size(); i++) {
      for (ValueId& in : graph.nodes[i].inputs) {
        changed |= replacements.resolve(in) != in;
        in = replacements.resolve(in);
      }
      changed |= apply_rules(graph, users, replacements, i);
    }
    changed |= replacements.apply(graph);
  }
}

}  // namespace cppgen::passes
