#include "cppgen/baseline/units.h"

#include <algorithm>
#include <array>

#include "cppgen/baseline/eltwise.h"
#include "cppgen/baseline/primitives.h"
#include "cppgen/graph/users.h"
#include "runtime/base/errors.h"

namespace cppgen::baseline {
namespace {

constexpr size_t kMostPostOps = 8;

bool takes_post_ops(const Graph& graph, const Node& node) {
  static constexpr std::array kMains{"Conv", "ConvTranspose", "MatMul", "Gemm"};
  if (std::find(kMains.begin(), kMains.end(), node.op) != kMains.end()) return true;
  return binary_of(graph, node) && !eltwise_of(graph, node);
}

class Planner {
 public:
  Planner(const Graph& graph, const Choices& choices)
      : graph_(graph), choices_(choices), users_(graph), unit_of_(graph.nodes.size(), -1) {}

  std::vector<Unit> plan() {
    for (const Node& node : graph_.nodes)
      if (unit_of_[size_t(node.id)] < 0) add_unit(node);
    count_needs();
    return in_order();
  }

 private:
  bool ours(const Node& node) const { return choices_.refused.contains(node.id) || !find_mapping(graph_, node); }

  void add_unit(const Node& node) {
    Unit unit{ours(node), {node.id}};
    if (!unit.ours && !choices_.alone.contains(node.id)) add_post_ops(unit, node);
    for (NodeId id : unit.nodes) unit_of_[size_t(id)] = int(units_.size());
    units_.push_back(std::move(unit));
  }

  void add_post_ops(Unit& unit, const Node& node) {
    if (node.op == "BatchNormalization") {
      const Node* next = only_reader(node.outputs[0]);
      if (next && next->op == "Relu") unit.nodes.push_back(next->id);
      return;
    }
    if (!takes_post_ops(graph_, node)) return;
    size_t kept = 1;
    ValueId value = node.outputs[0];
    while (unit.nodes.size() <= kMostPostOps) {
      const Node* next = only_reader(value);
      if (!next || !joins(*next, value) || is_confused(unit, *next)) break;
      unit.nodes.push_back(next->id);
      if (next->op != "Reshape") kept = unit.nodes.size();
      value = next->outputs[0];
    }
    unit.nodes.resize(kept);  // a view at the end is none of its business
  }

  const Node* only_reader(ValueId v) const {
    const NodeId reader = users_.only_node(v);
    if (reader < 0) return nullptr;
    const Node& node = graph_.nodes[size_t(reader)];
    return unit_of_[size_t(node.id)] >= 0 || ours(node) ? nullptr : &node;
  }

  bool joins(const Node& node, ValueId value) const {
    if (node.op == "Reshape") return node.inputs[0] == value;
    if (!(graph_.value(node.outputs[0]).type->shape == graph_.value(value).type->shape)) return false;
    if (const auto eltwise = eltwise_of(graph_, node)) return eltwise->input == value;
    const auto binary = binary_of(graph_, node);
    return binary && (node.inputs[0] == value || is_commutative(*binary));
  }

  bool is_confused(const Unit& unit, const Node& node) const {
    const auto eltwise = eltwise_of(graph_, node);
    return eltwise && std::any_of(unit.nodes.begin() + 1, unit.nodes.end(), [&](NodeId id) {
             const auto other = eltwise_of(graph_, graph_.nodes[size_t(id)]);
             return other && confuses(*eltwise, *other);
           });
  }

  template <class F>
  void for_each_dependency(const Unit& unit, F&& action) const {
    for (NodeId id : unit.nodes)
      for (ValueId in : graph_.nodes[size_t(id)].inputs) {
        const NodeId producer = in == kNoValue ? -1 : graph_.value(in).producer;
        if (producer >= 0 && &units_[size_t(unit_of_[size_t(producer)])] != &unit) action(unit_of_[size_t(producer)]);
      }
  }

  void count_needs() {
    needs_.resize(units_.size());
    followers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); u++)
      for_each_dependency(units_[u], [&](int from) { needs_[u]++, followers_[size_t(from)].push_back(u); });
    for (size_t u = 0; u < units_.size(); u++)
      if (needs_[u] == 0) ready_[units_[u].ours].insert(u);
  }

  // Goes on with the same kind as long as there is a unit of it, so that groups become large.
  std::vector<Unit> in_order() {
    std::vector<Unit> order;
    bool ours = false;
    for (size_t done = 0; done < units_.size(); done++) {
      if (ready_[ours].empty()) ours = !ours;
      check(!ready_[ours].empty(), "plan_units: the units form a cycle");
      const size_t u = *ready_[ours].begin();
      ready_[ours].erase(ready_[ours].begin());
      for (size_t next : followers_[u])
        if (--needs_[next] == 0) ready_[units_[next].ours].insert(next);
      if (ours && !order.empty() && order.back().ours)
        order.back().nodes.insert(order.back().nodes.end(), units_[u].nodes.begin(), units_[u].nodes.end());
      else
        order.push_back(units_[u]);
    }
    return order;
  }

  const Graph& graph_;
  const Choices& choices_;
  const Users users_;
  std::vector<int> unit_of_;
  std::vector<Unit> units_;
  std::vector<int> needs_;
  std::vector<std::vector<size_t>> followers_;
  std::set<size_t> ready_[2];  // by `ours`; the earliest in the graph first
};

}  // namespace

std::vector<Unit> plan_units(const Graph& graph, const Choices& choices) { return Planner(graph, choices).plan(); }

ValueId result_of(const Graph& graph, const Unit& unit) { return graph.nodes[size_t(unit.nodes.back())].outputs[0]; }

}  // namespace cppgen::baseline
