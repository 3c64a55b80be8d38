#include "cppgen/passes/infer_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cppgen/ir/index/bounds_for_equality.h"
#include "cppgen/ops/op.h"
#include "cppgen/ops/value_type.h"
#include "cppgen/passes/branches.h"
#include "cppgen/passes/fold_node.h"
#include "cppgen/passes/name_large_dimensions.h"
#include "cppgen/passes/recognize_embedding_bags.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {

namespace {

// Several nodes are refused; a message for each.
struct SeveralRefused : UserError {
  SeveralRefused(std::vector<std::string> list, bool invalid)
      : UserError(fmt::format("{} nodes are not supported:\n  {}", list.size(), fmt::join(list, "\n  "))),
        messages(std::move(list)),
        invalid(invalid) {}
  std::vector<std::string> messages;
  bool invalid;  // one of them for what no sizes could cure
};

bool is_invalid(const UserError& e) {
  const auto* several = dynamic_cast<const SeveralRefused*>(&e);
  return several ? several->invalid : dynamic_cast<const ops::InvalidNode*>(&e) != nullptr;
}

// The reasons for which nodes were refused, to be reported together. Nodes that depend on a refused one are not
// inferred.
class Refusals {
 public:
  bool empty() const { return messages_.empty(); }

  bool concern(const Node& node) const {
    if (empty()) return false;
    return !bodies_of(node).empty() ||  // which may capture anything
           std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return lost_.contains(v); });
  }
  void lose(const Node& node) { lost_.insert(node.outputs.begin(), node.outputs.end()); }
  void add(const Node& node, const UserError& e) {
    const auto* several = dynamic_cast<const SeveralRefused*>(&e);
    const std::vector<std::string> messages = several ? several->messages : std::vector<std::string>{e.what()};
    messages_.insert(messages_.end(), messages.begin(), messages.end());
    invalid_ |= is_invalid(e);
    lose(node);
  }
  void raise() const {
    if (messages_.size() > 1) throw SeveralRefused(messages_, invalid_);
    if (invalid_) throw ops::InvalidNode(messages_[0]);
    if (!empty()) throw UserError(messages_[0]);
  }

 private:
  std::vector<std::string> messages_;
  bool invalid_ = false;
  std::set<ValueId> lost_;
};

// Symbols that are dimensions of the values that the body captures, in their order.
std::vector<const ir::IndexNode*> captured_symbols(const Graph& body) {
  std::vector<const ir::IndexNode*> symbols;
  for (ValueId v : body.inputs) {
    if (!body.value(v).type) continue;
    for (const IndexExpr& d : body.value(v).type->shape)
      if (d.node() && d.node()->op == ir::IndexOp::variable && !ir::is_fresh_symbol(d)) symbols.push_back(d.node());
  }
  return symbols;
}

// The symbol that is replaced if a branch requires two dimensions to be equal: preferably one that is a whole
// dimension, and later ones before earlier ones; null if there is none.
const ir::IndexNode* symbol_of_branch(const Graph& body, const ops::UnequalDimensions& e) {
  const ir::IndexNode* chosen = nullptr;
  for (const ir::IndexNode* symbol : captured_symbols(body)) {
    const auto alone = [&](const ir::IndexNode* s) { return e.a.node() == s || e.b.node() == s; };
    if (!ir::depends_on(e.a - e.b, symbol)) continue;
    if (!chosen || alone(symbol) || !alone(chosen)) chosen = symbol;
  }
  return chosen;
}

// Requirements of one branch do not constrain the model's inputs: the branch gets a symbol of its own for such a
// dimension, and a run that takes it compares.
void give_own_symbol(Graph& body, const ir::IndexNode* symbol) {
  const ir::IndexMap map{{symbol, body.index->fresh_symbol(symbol->name)}};
  const auto substitute = [&](std::vector<IndexExpr>& all) {
    for (IndexExpr& e : all) e = ir::substitute(e, map);
  };
  for (ValueId v : body.inputs) {
    if (body.value(v).type) substitute(body.value(v).type->shape);
    if (body.value(v).contents) substitute(*body.value(v).contents);
  }
}

// What the errors of nodes mean depends on where the nodes are.
struct Place {
  bool in_branch;            // a run may never take it: a refused node ends the runs that do, unless it is invalid
  bool dimensions_together;  // unequal dimensions are errors like any other
};

void infer_nodes(Graph&, const PassOptions&, Place);

void infer_branch_types(Graph& body, const PassOptions& options, bool dimensions_together) {
  constexpr int kMostSymbols = 8;
  const Graph untyped = deep_copy(body);
  std::vector<const ir::IndexNode*> given_way;
  for (bool together = false;;) {
    try {
      return infer_nodes(body, options, {.in_branch = true, .dimensions_together = together});
    } catch (const ops::UnequalDimensions& e) {
      const ir::IndexNode* symbol = e.in_body ? nullptr : symbol_of_branch(body, e);
      if (symbol && given_way.size() < kMostSymbols) {
        given_way.push_back(symbol);
      } else if (dimensions_together) {
        together = true;
      } else {
        throw ops::UnequalDimensions(e.what(), e.a, e.b, /*in_body=*/true);
      }
    }
    body = deep_copy(untyped);
    for (const ir::IndexNode* symbol : given_way) give_own_symbol(body, symbol);
  }
}

void infer_body_types(Graph& body, const PassOptions& options, const Node& node, bool dimensions_together) {
  if (node.op == "If" && node.domain.empty()) return infer_branch_types(body, options, dimensions_together);
  infer_nodes(body, options, {.in_branch = false, .dimensions_together = false});
}

void type_node(Graph& graph, NodeOrder& order, NodeId id, const PassOptions& options, bool dimensions_together) {
  const FoldLimits small{kAlwaysFolded, /*unknown_shapes=*/true, /*dequantize=*/!options.pattern_matcher};
  const auto i = size_t(id);
  ops::infer_node(graph, id,
                  [&](Graph& body) { infer_body_types(body, options, graph.nodes[i], dimensions_together); });
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
  name_large_dimensions(graph, order, id);
}

// UserError with the messages of all branches if each of them was refused.
void require_possible(const Graph& graph, const Node& node) {
  std::vector<std::string> messages;
  for (const auto& body : bodies_of(node))
    for (const Node& inner : body->nodes)
      if (inner.op == "Refuse" && inner.facts.refused)
        messages.push_back(std::get<std::string>(inner.attributes.at("message")));
  const bool nothing = std::all_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId v) { return v == kNoValue || ops::is_nothing(graph.value(v)); });
  if (messages.size() < 2 || !nothing) return;
  if (messages[0] == messages[1]) throw UserError(messages[0]);
  throw SeveralRefused(std::move(messages), /*invalid=*/false);
}

// Types the node, or puts others before it or in its place, which are to be typed first.
void infer_one(Graph& graph, NodeOrder& order, NodeId id, const PassOptions& options, bool dimensions_together) {
  if (replace_unreachable(graph, order, id) || insert_rank_switch(graph, order, id) ||
      capture_unchanged_states(graph, order, id) || recognize_embedding_bag(graph, order, id))
    return;
  absorb_captured_constants(graph, id);
  if (take_known_branch(graph, order, id)) return;
  const Node untyped = graph.nodes[size_t(id)];
  const auto type = [&] { type_node(graph, order, id, options, dimensions_together); };
  type();
  if (untyped.op == "If" && untyped.domain.empty() && sink_readers(graph, order, id, untyped, type))
    require_possible(graph, graph.nodes[size_t(id)]);
}

// Returns whether the error of a node in a branch belongs to the runs that take the branch.
bool ends_branch(const UserError& e, Place place) {
  const auto* unequal = dynamic_cast<const ops::UnequalDimensions*>(&e);  // which a run may find equal
  const bool may_be_equal = unequal && !(unequal->a - unequal->b).is_constant();
  return place.in_branch && !is_invalid(e) && (place.dimensions_together || !may_be_equal);
}

void infer_nodes(Graph& graph, const PassOptions& options, Place place) {
  Refusals refusals;
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    if (refusals.concern(graph.nodes[size_t(id)])) return refusals.lose(graph.nodes[size_t(id)]);
    try {
      infer_one(graph, order, id, options, place.dimensions_together);
    } catch (const UserError& e) {
      if (ends_branch(e, place)) return refuse_rest(graph, order, id, e.what());
      if (dynamic_cast<const ops::UnequalDimensions*>(&e) && !place.dimensions_together) throw;
      refusals.add(graph.nodes[size_t(id)], e);
    }
  });
  refusals.raise();
}

}  // namespace

void infer_node_types(Graph& graph, const PassOptions& options, bool dimensions_together) {
  infer_nodes(graph, options, {.in_branch = false, .dimensions_together = dimensions_together});
}

}  // namespace cppgen::passes
