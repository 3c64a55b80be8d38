#pragma once
#include <map>
#include <memory>

#include "cppgen/onnxruntime/claims.h"

namespace cppgen::ep {

// The functions of ONNX Runtime that a provider calls.
struct Host {
  const ort::Api* api = nullptr;
  const ort::EpApi* ep = nullptr;
  bool tells_ranks = false;  // has TensorTypeAndShape_HasShape
};

// The provider in one session of ONNX Runtime.
class Provider : public ort::Ep {
 public:
  Provider(const Host& host, const ort::SessionOptions* options, const ort::Logger* logger);

 private:
  void get_capability(const ort::Graph* graph, ort::SupportInfo* info);
  bool is_part_of_claim(const ort::Graph* graph) const;
  std::vector<Claim> claims(const GraphData& graph) const;
  Claim claim_of(const ort::Node* fused_node);
  std::unique_ptr<FusedNode> compiled(const ort::Graph* graph, const ort::Node* fused_node, ort::Node*& context_node);

  const Host host_;
  const ort::Logger* logger_;
  const ProviderOptions options_;
  const RunOptions run_options_;
  const ModelCompiler compiler_;
  const Claimer claimer_;
  std::map<std::string, Claim> claims_;  // until they are compiled, by the names of outputs
};

}  // namespace cppgen::ep
