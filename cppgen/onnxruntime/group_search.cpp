#include "cppgen/onnxruntime/group_search.h"

#include <algorithm>

#include "cppgen/onnxruntime/fused_node.h"

namespace cppgen::ep {

GroupSearch::GroupSearch(const ort::Api& api, bool tells_ranks, const ort::Logger* logger,
                         const ModelCompiler& compiler, const GraphData& graph)
    : api_(api), tells_ranks_(tells_ranks), logger_(logger), compiler_(compiler), graph_(graph) {
  std::map<std::string, size_t> writers;
  nodes_.resize(graph.nodes.size());
  for (size_t i = 0; i < nodes_.size(); i++) {
    nodes_[i].supported = !graph.nodes[i].taken;
    for (const auto* names : {&graph.nodes[i].inputs, &graph.nodes[i].outer})
      for (const std::string& name : *names)
        if (const auto writer = writers.find(name); writer != writers.end())
          nodes_[i].sources.push_back(writer->second);
    for (const std::string& name : graph.nodes[i].outputs)
      if (!name.empty()) writers[name] = i;
  }
}

std::map<Group, Supported> GroupSearch::run() {
  std::map<Group, Supported> found;
  for (bool changed = true; changed;) {
    changed = false;
    std::map<Group, Supported> current;
    for (const Group& group : convex_groups(nodes_)) {
      if (const auto known = found.find(group); known != found.end())
        current[group] = std::move(known->second);
      else if (!examine(group, current[group]))
        current.erase(group), changed = true;
    }
    found = std::move(current);
  }
  return found;
}

bool GroupSearch::examine(const Group& group, Supported& supported) {
  Refusal refusal = this->refusal(group, supported);
  if (refusal.reason.empty()) return true;
  if (refusal.nodes.empty()) refusal.nodes = refused_alone(group);
  for (const size_t i : refusal.nodes.empty() ? group : refusal.nodes) leave_out(i, refusal.reason);
  return false;
}

void GroupSearch::leave_out(size_t node, const std::string& reason) {
  nodes_[node].supported = false;
  const GraphNode& left = graph_.nodes[node];
  log(api_, logger_, ort::kInfo,
      "cppgen leaves node '" + left.name + "' (" + left.type + ") to ONNX Runtime: " + reason);
}

// The nodes that are refused even without the others; all if there is only one.
std::vector<size_t> GroupSearch::refused_alone(const Group& group) const {
  if (group.size() == 1) return group;
  std::vector<size_t> refused;
  for (const size_t i : group)
    if (Supported ignored; !refusal({i}, ignored).reason.empty()) refused.push_back(i);
  return refused;
}

// The nodes of a group that read or write one of these values.
std::vector<size_t> GroupSearch::nodes_with(const Group& group, const std::vector<std::string>& values) const {
  const auto is_one = [&](const std::string& name) { return std::count(values.begin(), values.end(), name) > 0; };
  std::vector<size_t> nodes;
  for (const size_t i : group) {
    const GraphNode& node = graph_.nodes[i];
    if (std::any_of(node.inputs.begin(), node.inputs.end(), is_one) ||
        std::any_of(node.outer.begin(), node.outer.end(), is_one) ||
        std::any_of(node.outputs.begin(), node.outputs.end(), is_one))
      nodes.push_back(i);
  }
  return nodes;
}

std::vector<size_t> GroupSearch::named_nodes(const Group& group, const std::vector<std::string>& names) const {
  std::vector<size_t> nodes;
  for (const size_t i : group)
    if (std::count(names.begin(), names.end(), graph_.nodes[i].name) > 0) nodes.push_back(i);
  return nodes;
}

Refusal GroupSearch::refusal_of(const Group& group, const AssumedRanks& ranks, Supported& supported) const {
  try {
    supported.model = write_model(api_, tells_ranks_, graph_, group, ranks);
    supported.answer = compiler_.check(supported.model);
    if (supported.answer.supported) return {};
    return {supported.answer.reason, named_nodes(group, supported.answer.nodes)};
  } catch (const std::exception& error) {
    return {error.what(), {}};
  }
}

// For a group with an input of unknown rank, which the result of a custom operator often is. It is supported if it is
// for exactly one rank: such models, with a convolution for example, are valid for no other one.
Refusal GroupSearch::refusal_for_any_rank(const Group& group, const std::string& value, Supported& supported) const {
  constexpr int kMostRank = 5;
  int possible = 0;
  for (int rank = 0; rank <= kMostRank; rank++) {
    Supported for_rank;
    const Refusal refusal = refusal_of(group, {{value, rank}}, for_rank);
    if (!refusal.nodes.empty()) return refusal;  // operators that are not supported, for whatever rank
    if (refusal.reason.empty() && ++possible == 1) supported = std::move(for_rank);
  }
  if (possible == 1) return {};
  return {"the rank of '" + value + "' is not known", nodes_with(group, {value})};
}

Refusal GroupSearch::refusal(const Group& group, Supported& supported) const {
  const Boundary boundary = boundary_of(graph_, group);
  std::vector<std::string> foreign, unranked;
  for (const auto* names : {&boundary.inputs, &boundary.outputs})
    for (const std::string& name : *names) {
      const TensorType type = tensor_type(api_, tells_ranks_, graph_.values.at(name));
      if (shared_dtype(type.element) < 0)
        foreign.push_back(name);
      else if (!type.ranked && names == &boundary.inputs)
        unranked.push_back(name);
    }
  if (!foreign.empty())
    return {"the provider does not pass on values of the type of '" + foreign[0] + "'", nodes_with(group, foreign)};
  if (unranked.size() > 1) return {"the rank of '" + unranked[0] + "' is not known", nodes_with(group, unranked)};
  return unranked.empty() ? refusal_of(group, {}, supported) : refusal_for_any_rank(group, unranked[0], supported);
}

}  // namespace cppgen::ep
