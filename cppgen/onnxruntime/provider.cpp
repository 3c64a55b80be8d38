#include "cppgen/onnxruntime/provider.h"

#include <algorithm>

#include "cppgen/onnxruntime/context_node.h"

namespace cppgen::ep {
namespace {

std::vector<std::string> names_of_values(const ort::Api& api, const std::vector<const ort::ValueInfo*>& values) {
  std::vector<std::string> names;
  for (const ort::ValueInfo* value : values) names.push_back(value_name(api, value));
  return names;
}

// The key of a claim: no value is computed by two nodes.
std::string key_of(std::vector<std::string> outputs) {
  std::sort(outputs.begin(), outputs.end());
  std::string key;
  for (const std::string& name : outputs) key += name + '\n';
  return key;
}

std::vector<size_t> positions(const std::vector<std::string>& names, const std::vector<std::string>& among) {
  std::vector<size_t> found;
  for (const std::string& name : names) {
    const auto at = std::find(among.begin(), among.end(), name);
    if (at == among.end()) throw Failure("cppgen: the fused node has a value '" + name + "' that its package lacks");
    found.push_back(size_t(at - among.begin()));
  }
  return found;
}

}  // namespace

Provider::Provider(const Host& host, const ort::SessionOptions* options, const ort::Logger* logger)
    : ort::Ep{},
      host_(host),
      logger_(logger),
      options_(read_options(*host.api, options)),
      run_options_(options_),
      compiler_(options_),
      claimer_{*host.api, host.tells_ranks, logger, options_, compiler_, run_options_.get()} {
  version = ort::kApiVersion;
  GetName = [](const ort::Ep*) { return kProviderName; };
  GetCapability = [](ort::Ep* ep, const ort::Graph* graph, ort::SupportInfo* info) {
    auto* provider = static_cast<Provider*>(ep);
    return guarded(*provider->host_.api, [&] { provider->get_capability(graph, info); });
  };
  Compile = [](ort::Ep* ep, const ort::Graph** graphs, const ort::Node** nodes, size_t count,
               ort::NodeComputeInfo** infos, ort::Node** context_nodes) {
    auto* provider = static_cast<Provider*>(ep);
    return guarded(*provider->host_.api, [&] {
      for (size_t i = 0; i < count; i++) infos[i] = provider->compiled(graphs[i], nodes[i], context_nodes[i]).release();
    });
  };
  ReleaseNodeComputeInfos = [](ort::Ep*, ort::NodeComputeInfo** infos, size_t count) {
    for (size_t i = 0; i < count; i++) delete static_cast<FusedNode*>(infos[i]);
  };
}

bool Provider::is_part_of_claim(const ort::Graph* graph) const {
  const GraphData parent = read_parent(*host_.api, graph);
  return !parent.nodes.empty() && claimer_.supports(parent, 0);
}

// Stored packages, or, in a graph without any, what can be compiled.
std::vector<Claim> Provider::claims(const GraphData& graph) const {
  std::vector<Claim> stored;
  for (size_t i = 0; i < graph.nodes.size(); i++)
    if (is_context_node(*host_.api, graph.nodes[i])) stored.push_back(context_claim(graph, i));
  return stored.empty() ? claimer_.claims(graph) : std::move(stored);
}

void Provider::get_capability(const ort::Graph* graph, ort::SupportInfo* info) {
  if (is_part_of_claim(graph)) return;
  const GraphData data = read_graph(*host_.api, graph);
  const bool is_model = read_parent(*host_.api, graph).nodes.empty();
  const ort::FusionOptions fusion{ort::kApiVersion, true};
  for (Claim& claim : claims(data)) {
    std::vector<const ort::Node*> nodes;
    for (const size_t i : claim.nodes) nodes.push_back(data.nodes[i].handle);
    require(*host_.api, host_.ep->EpGraphSupportInfo_AddNodesToFuse(info, nodes.data(), nodes.size(), &fusion));
    claim.is_whole = claim.nodes.size() == data.nodes.size() && is_model;
    const std::string key = key_of(claim.outputs);
    claims_.insert_or_assign(key, std::move(claim));
  }
}

Claim Provider::claim_of(const ort::Node* fused_node) {
  const ort::Api& api = *host_.api;
  const auto outputs = members(api, api.Node_GetNumOutputs, api.Node_GetOutputs, fused_node);
  const auto found = claims_.find(key_of(names_of_values(api, outputs)));
  if (found == claims_.end()) throw Failure("cppgen: ONNX Runtime fused other nodes than those that were claimed");
  Claim claim = std::move(found->second);
  claims_.erase(found);
  return claim;
}

std::unique_ptr<FusedNode> Provider::compiled(const ort::Graph* graph, const ort::Node* fused_node,
                                              ort::Node*& context_node) {
  const ort::Api& api = *host_.api;
  Claim claim = claim_of(fused_node);
  if (!claim.package.session) claim.package = load_context(api, graph, options_, run_options_.get());
  const auto inputs = members(api, api.Node_GetNumInputs, api.Node_GetInputs, fused_node);
  const auto outputs = members(api, api.Node_GetNumOutputs, api.Node_GetOutputs, fused_node);
  auto node = std::make_unique<FusedNode>(api, claim.package, run_options_,
                                          positions(names_of_values(api, inputs), claim.inputs),
                                          positions(names_of_values(api, outputs), claim.outputs), claim.is_whole);
  if (options_.store_context && !claim.folder.empty()) {
    const char* path = member(api, api.Graph_GetModelPath, graph);
    context_node = make_context_node(api, options_, claim, member(api, api.Node_GetName, fused_node), path ? path : "");
  }
  return node;
}

}  // namespace cppgen::ep
