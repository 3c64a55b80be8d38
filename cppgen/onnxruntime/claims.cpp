#include "cppgen/onnxruntime/claims.h"

#include <algorithm>

#include "cppgen/onnxruntime/group_search.h"

namespace cppgen::ep {
namespace {

// Returns whether a node computes on images, for which cppgen and ONNX Runtime have layouts of their own.
bool has_images(const GraphNode& node) {
  return node.type.find("Conv") != std::string::npos || node.type.find("Pool") != std::string::npos;
}

// Returns whether a group is faster here than in ONNX Runtime: a small one is not, and neither is one of images that
// mostly brings them into its own layout and back.
bool is_worth_it(const ProviderOptions& options, const GraphData& graph, const Group& group, const Answer& answer) {
  if (group.size() < options.min_nodes && answer.milliseconds < options.min_milliseconds) return false;
  if (group.size() == graph.nodes.size() ||
      std::none_of(group.begin(), group.end(), [&](size_t i) { return has_images(graph.nodes[i]); }))
    return true;
  constexpr double kBytesPerMillisecond = 5e6;  // reading and writing, by one thread
  return answer.boundary_bytes / kBytesPerMillisecond <= options.max_boundary * answer.milliseconds;
}

Claim compiled(const Claimer& claimer, const Group& group, const WrittenModel& model) {
  const auto package = std::make_shared<const Package>(claimer.compiler.compile(model));
  const auto load = [package](const Options& options) { return std::make_shared<Session>(package->load(options)); };
  return {group, model.boundary.inputs, model.boundary.outputs, package->path(), {load, load(claimer.run_options)}};
}

}  // namespace

std::vector<Claim> Claimer::claims(const GraphData& graph) const {
  std::vector<Claim> claims;
  for (const auto& [group, supported] : GroupSearch(api, tells_ranks, logger, compiler, graph).run()) {
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
  const Refusal refusal = GroupSearch(api, tells_ranks, logger, compiler, graph).refusal({node}, ignored);
  return refusal.reason.empty() || refusal.for_sizes;
}

}  // namespace cppgen::ep
