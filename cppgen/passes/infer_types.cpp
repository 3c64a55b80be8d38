#include "cppgen/passes/infer_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cppgen/ops/op.h"
#include "cppgen/passes/fold_node.h"
#include "cppgen/passes/recognize_embedding_bags.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {

namespace {

// Several nodes are refused; a message for each.
struct SeveralRefused : UserError {
  explicit SeveralRefused(std::vector<std::string> list)
      : UserError(fmt::format("{} nodes are refused:\n  {}", list.size(), fmt::join(list, "\n  "))),
        messages(std::move(list)) {}
  std::vector<std::string> messages;
};

// What nodes were refused for, to be told together. Nodes that need what a refused one computes are not looked at.
class Refusals {
 public:
  bool empty() const { return messages_.empty(); }

  bool concern(const Node& node) const {
    if (empty()) return false;
    return !bodies_of(node).empty() ||  // which may capture anything
           std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return lost_.contains(v); });
  }
  void lose(const Node& node) { lost_.insert(node.outputs.begin(), node.outputs.end()); }
  void add(const Node& node, std::vector<std::string> messages) {
    messages_.insert(messages_.end(), messages.begin(), messages.end());
    lose(node);
  }
  void raise() const {
    if (messages_.size() == 1) throw UserError(messages_[0]);
    if (!empty()) throw SeveralRefused(messages_);
  }

 private:
  std::vector<std::string> messages_;
  std::set<ValueId> lost_;
};

void infer_body_types(Graph& body, const PassOptions& options) {
  try {
    infer_types(body, options);
  } catch (const ops::UnequalDimensions& e) {
    throw ops::UnequalDimensions(e.what(), e.a, e.b, /*in_body=*/true);
  }
}

void infer_one(Graph& graph, NodeId id, const PassOptions& options) {
  const FoldLimits small{kAlwaysFolded, /*unknown_shapes=*/true, /*dequantize=*/!options.pattern_matcher};
  const auto i = size_t(id);
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

}  // namespace

void infer_types(Graph& graph, const PassOptions& options, bool dimensions_together) {
  Refusals refusals;
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    if (refusals.concern(graph.nodes[i])) {
      refusals.lose(graph.nodes[i]);
      continue;
    }
    try {
      infer_one(graph, NodeId(i), options);
    } catch (const ops::UnequalDimensions& e) {
      if (!dimensions_together) throw;
      refusals.add(graph.nodes[i], {e.what()});
    } catch (const SeveralRefused& e) {
      refusals.add(graph.nodes[i], e.messages);
    } catch (const UserError& e) {
      refusals.add(graph.nodes[i], {e.what()});
    }
  }
  refusals.raise();
}

}  // namespace cppgen::passes
