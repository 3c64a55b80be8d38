#pragma once
#include <string>

#include "cppgen/onnxruntime/claims.h"

// Nodes of type EPContext, in which ONNX Runtime stores what a provider made of some nodes: here, a package. Its
// directory lies next to the model, which names it, or the model contains its files.
namespace cppgen::ep {

// Returns whether a node stores a package of this provider.
bool is_context_node(const ort::Api& api, const GraphNode& node);

// The claim of a node for which that is true. The package is not loaded yet.
Claim context_claim(const GraphData& graph, size_t node);

// Loads the package of such a claim, for which no compiler is needed. `graph` has no other node. Failure if the path of
// the package leads out of the folder of the model, and cppgen::Error if it cannot be loaded.
LoadedPackage load_context(const ort::Api& api, const ort::Graph* graph, const ProviderOptions& options,
                           const Options& run_options);

// The node that stores a claim, in a session with options.store_context. Copies the package unless it is embedded.
// `name` is that of the fused node, `model_path` that of the model, or "" if it is not known.
ort::Node* make_context_node(const ort::Api& api, const ProviderOptions& options, const Claim& claim,
                             const std::string& name, const std::string& model_path);

}  // namespace cppgen::ep
