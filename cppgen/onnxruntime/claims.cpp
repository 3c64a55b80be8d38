#include "cppgen/onnxruntime/claims.h"

#include <algorithm>
#include <map>

#include "cppgen/onnxruntime/partition.h"

namespace cppgen::ep {
namespace {

using Group = std::vector<size_t>;

// A group that is supported.
struct Supported {
  WrittenModel model;
  Answer answer;
};

// Finds the groups: asks about the largest ones, leaves out the nodes that are the reason of a refusal, and asks again.
class GroupSearch {
 public:
  GroupSearch(const Claimer& claimer, const GraphData& graph) : claimer_(claimer), graph_(graph) {
    std::map<std::string, size_t> writers;
    nodes_.resize(graph.nodes.size());
    for (size_t i = 0; i < nodes_.size(); i++) {
      nodes_[i].supported = !graph.nodes[i].taken;
      for (const auto* names : {&graph.nodes[i].inputs, &graph.nodes[i].outer})
        for (const std::string& name : *names)
          if (const auto writer = writers.find(name); writer != writers.end())
            nodes_[i].sources.push_back(writer->second);
      for (const std::string& name : graph.nodes[i].outputs) writers[name] = i;
    }
  }

  std::map<Group, Supported> run() {
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

  // Why a group is refused, or "". If it is supported, fills `supported`. Otherwise leaves out the nodes that are the
  // reason, as far as that is known.
  std::string refusal(const Group& group, Supported& supported, std::vector<size_t>& culprits) const {
    try {
      supported.model = write_model(claimer_.api, claimer_.tells_ranks, graph_, group);
      culprits = nodes_at_bad_boundary(group, supported.model.boundary);
      if (!culprits.empty()) return "values of types or ranks that the provider does not pass on";
      const Answer& answer = supported.answer = claimer_.compiler.check(supported.model);
      if (answer.supported) return "";
      for (const size_t i : group)
        if (std::count(answer.nodes.begin(), answer.nodes.end(), graph_.nodes[i].name) > 0) culprits.push_back(i);
      return answer.reason;
    } catch (const Failure& failure) {
      return failure.what();
    }
  }

 private:
  bool examine(const Group& group, Supported& supported) {
    std::vector<size_t> culprits;
    const std::string reason = refusal(group, supported, culprits);
    if (reason.empty()) return true;
    if (culprits.empty()) culprits = refused_alone(group);
    for (const size_t i : culprits.empty() ? group : culprits) leave_out(i, reason);
    return false;
  }

  void leave_out(size_t i, const std::string& reason) {
    nodes_[i].supported = false;
    log(claimer_.api, claimer_.logger, ort::kInfo,
        "cppgen leaves node '" + graph_.nodes[i].name + "' (" + graph_.nodes[i].type + ") to ONNX Runtime: " + reason);
  }

  // The nodes that are refused even without the others; all if there is only one.
  std::vector<size_t> refused_alone(const Group& group) const {
    if (group.size() == 1) return group;
    std::vector<size_t> refused;
    for (const size_t i : group) {
      Supported ignored;
      std::vector<size_t> culprits;
      if (!refusal({i}, ignored, culprits).empty()) refused.push_back(i);
    }
    return refused;
  }

  std::vector<size_t> nodes_at_bad_boundary(const Group& group, const Boundary& boundary) const {
    std::set<std::string> bad;
    for (const auto* names : {&boundary.inputs, &boundary.outputs})
      for (const std::string& name : *names) {
        const TensorType type = tensor_type(claimer_.api, claimer_.tells_ranks, graph_.values.at(name));
        if (shared_dtype(type.element) < 0 || (names == &boundary.inputs && !type.ranked)) bad.insert(name);
      }
    std::vector<size_t> nodes;
    for (const size_t i : group)
      for (const auto* names : {&graph_.nodes[i].inputs, &graph_.nodes[i].outer, &graph_.nodes[i].outputs})
        if (std::any_of(names->begin(), names->end(), [&](const auto& name) { return bad.count(name) > 0; })) {
          nodes.push_back(i);
          break;
        }
    return nodes;
  }

  const Claimer& claimer_;
  const GraphData& graph_;
  std::vector<PartitionNode> nodes_;
};

// Whether a node computes on images, for which cppgen and ONNX Runtime have layouts of their own.
bool has_images(const GraphNode& node) {
  return node.type.find("Conv") != std::string::npos || node.type.find("Pool") != std::string::npos;
}

// Whether a group is faster here than in ONNX Runtime: a small one is not, and neither is one of images that mostly
// brings them into its own layout and back.
bool is_worth_it(const ProviderOptions& options, const GraphData& graph, const Group& group, const Answer& answer) {
  if (group.size() < options.min_nodes && answer.milliseconds < options.min_milliseconds) return false;
  if (group.size() == graph.nodes.size() ||
      std::none_of(group.begin(), group.end(), [&](size_t i) { return has_images(graph.nodes[i]); }))
    return true;
  constexpr double kBytesPerMillisecond = 5e6;  // reading and writing, by one thread
  return answer.boundary_bytes / kBytesPerMillisecond <= options.max_boundary * answer.milliseconds;
}

Claim compiled(const Claimer& claimer, const Group& group, const WrittenModel& model) {
  const Package package = claimer.compiler.compile(model);
  auto session = std::make_shared<Session>(package.load(claimer.run_options));
  return {group, model.boundary.inputs, model.boundary.outputs, package.path(), {nullptr, std::move(session)}};
}

}  // namespace

std::vector<Claim> Claimer::claims(const GraphData& graph) const {
  std::vector<Claim> claims;
  for (const auto& [group, supported] : GroupSearch(*this, graph).run()) {
    if (!is_worth_it(options, graph, group, supported.answer)) continue;
    try {
      claims.push_back(compiled(*this, group, supported.model));
    } catch (const std::exception& error) {
      log(api, logger, ort::kWarning,
          "cppgen leaves " + std::to_string(group.size()) + " nodes, the first of which is '" +
              graph.nodes[group.front()].name + "', to ONNX Runtime: " + error.what());
    }
  }
  return claims;
}

bool Claimer::supports(const GraphData& graph, size_t node) const {
  Supported ignored;
  std::vector<size_t> culprits;
  return GroupSearch(*this, graph).refusal({node}, ignored, culprits).empty();
}

}  // namespace cppgen::ep
