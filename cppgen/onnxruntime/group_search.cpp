#include "cppgen/onnxruntime/group_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cppgen/onnxruntime/fused_node.h"

namespace cppgen::ep {
namespace {

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

bool has_unnamed_size(const TensorType& type) {
  for (size_t axis = 0; axis < type.dims.size(); axis++)
    if (type.dims[axis] < 0 && type.symbols[axis].empty()) return true;
  return false;
}

}  // namespace

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
  std::map<Group, Supported> found = groups();
  if (!infer_sizes(found)) return found;
  for (const size_t i : std::exchange(left_for_sizes_, {})) nodes_[i].supported = true;
  return groups();
}

// Those of groups, and those that would be if more sizes were known.
Group GroupSearch::nodes_of(const std::map<Group, Supported>& found) const {
  Group all = left_for_sizes_;
  for (const auto& [group, supported] : found) all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::map<Group, Supported> GroupSearch::groups() {
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
  for (const size_t i : refusal.nodes.empty() ? group : refusal.nodes) {
    leave_out(i, refusal.reason);
    if (refusal.for_sizes) left_for_sizes_.push_back(i);
  }
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

TensorType GroupSearch::type_of(const std::string& value) const {
  const auto known = known_.find(value);
  return known != known_.end() ? known->second : tensor_type(api_, tells_ranks_, graph_.values.at(value));
}

Refusal GroupSearch::refusal_with(const Group& group, const KnownTypes& types, Supported& supported) const {
  KnownTypes all = types;
  all.insert(known_.begin(), known_.end());
  try {
    supported.model = write_model(api_, tells_ranks_, graph_, group, all);
    supported.answer = compiler_.check(supported.model);
    if (supported.answer.supported) return {};
    return {supported.answer.reason, named_nodes(group, supported.answer.nodes), false};
  } catch (const std::exception& error) {
    return {error.what(), {}, false};
  }
}

// Judges a group with an input of unknown rank, which the result of a custom operator often is. It is supported if it
// is for exactly one rank: such models, with a convolution for example, are valid for no other one.
Refusal GroupSearch::refusal_for_any_rank(const Group& group, const std::string& value, Supported& supported) const {
  constexpr int kMostRank = 5;
  int possible = 0;
  for (int rank = 0; rank <= kMostRank; rank++) {
    Supported for_rank;
    TensorType type = type_of(value);
    type.ranked = true;
    type.dims.assign(size_t(rank), -1);
    type.symbols.assign(size_t(rank), "");
    const Refusal refusal = refusal_with(group, {{value, type}}, for_rank);
    if (!refusal.nodes.empty()) return refusal;  // operators that are not supported, for whatever rank
    if (refusal.reason.empty() && ++possible == 1) supported = std::move(for_rank);
  }
  if (possible == 1) return {};
  return {"the rank of '" + value + "' is not known", nodes_with(group, {value}), false};
}

// Judges a group with an input of unknown size that the compiler takes to be a number, because the input meets another
// value: if the group were supported with a size of 1 as well, it may broadcast the input.
Refusal GroupSearch::refusal_for_sizes(const Group& group, const Supported& supported) const {
  for (const std::string& name : supported.model.boundary.inputs) {
    TensorType type = type_of(name);
    const auto sizes = supported.answer.sizes.find(name);
    if (sizes == supported.answer.sizes.end() || sizes->second.size() != type.dims.size()) continue;
    for (size_t axis = 0; axis < type.dims.size(); axis++) {
      const std::string& size = sizes->second[axis];
      if (type.dims[axis] >= 0 || !is_number(size) || size == "1") continue;
      type.dims[axis] = 1;
      if (Supported ignored; refusal_with(group, {{name, type}}, ignored).reason.empty())
        return {"dimension " + std::to_string(axis) + " of '" + name + "' may be " + size + " or 1",
                nodes_with(group, {name}), true};
      type.dims[axis] = -1;
    }
  }
  return {};
}

// Values that nodes of one group compute and others read, of which ONNX Runtime does not know all sizes.
std::vector<std::string> GroupSearch::values_of_unknown_size(const std::map<Group, Supported>& found) const {
  std::set<std::string> written, read;
  for (const size_t i : nodes_of(found))
    for (const std::string& name : graph_.nodes[i].outputs) written.insert(name);
  for (const auto& [group, supported] : found)
    read.insert(supported.model.boundary.inputs.begin(), supported.model.boundary.inputs.end());
  for (const size_t i : left_for_sizes_) read.insert(graph_.nodes[i].inputs.begin(), graph_.nodes[i].inputs.end());
  std::vector<std::string> values;
  for (const std::string& name : read)
    if (written.count(name) > 0 && has_unnamed_size(type_of(name))) values.push_back(name);
  return values;
}

// Has the compiler infer sizes in a model of all these nodes, to which what others write is an input. False if there is
// nothing new.
bool GroupSearch::infer_sizes(const std::map<Group, Supported>& found) {
  const std::vector<std::string> values = values_of_unknown_size(found);
  if (values.empty()) return false;
  const Answer answer = compiler_.check(write_model(api_, tells_ranks_, graph_, nodes_of(found), {}, values));
  for (const std::string& name : values) {
    TensorType type = type_of(name);
    const auto sizes = answer.sizes.find(name);
    if (sizes == answer.sizes.end() || sizes->second.size() != type.dims.size()) continue;
    for (size_t axis = 0; axis < type.dims.size(); axis++)
      if (const std::string& size = sizes->second[axis]; type.dims[axis] < 0 && is_number(size)) {
        type.dims[axis] = std::stoll(size);
        known_[name] = type;
      }
  }
  return !known_.empty();
}

Refusal GroupSearch::refusal(const Group& group, Supported& supported) const {
  const Boundary boundary = boundary_of(graph_, group);
  std::vector<std::string> foreign, unranked;
  for (const auto* names : {&boundary.inputs, &boundary.outputs})
    for (const std::string& name : *names) {
      const TensorType type = type_of(name);
      if (shared_dtype(type.element) < 0)
        foreign.push_back(name);
      else if (!type.ranked && names == &boundary.inputs)
        unranked.push_back(name);
    }
  if (!foreign.empty())
    return {"the provider does not pass on values of the type of '" + foreign[0] + "'", nodes_with(group, foreign),
            false};
  if (unranked.size() > 1)
    return {"the rank of '" + unranked[0] + "' is not known", nodes_with(group, unranked), false};
  const Refusal refusal =
      unranked.empty() ? refusal_with(group, {}, supported) : refusal_for_any_rank(group, unranked[0], supported);
  return refusal.reason.empty() ? refusal_for_sizes(group, supported) : refusal;
}

}  // namespace cppgen::ep
