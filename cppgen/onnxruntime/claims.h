#pragma once
#include <string>
#include <vector>

#include "cppgen/onnxruntime/fused_node.h"
#include "cppgen/onnxruntime/model_compiler.h"
#include "cppgen/onnxruntime/run_options.h"

namespace cppgen::ep {

// Nodes that this provider takes as one, compiled and loaded. Compilation happens while ONNX Runtime asks which nodes
// are taken, so that those that cannot be compiled for whatever reason are left to it.
struct Claim {
  std::vector<size_t> nodes;                 // positions in the graph, ascending
  std::vector<std::string> inputs, outputs;  // names of values, in the order of the package
  std::string folder;                        // of the package; "": in memory
  LoadedPackage package;
  bool is_whole = false;  // all nodes of a model
};

// A session makes claims with these.
struct Claimer {
  const ort::Api& api;
  bool tells_ranks;
  const ort::Logger* logger;
  const ProviderOptions& options;
  const ModelCompiler& compiler;
  const Options& run_options;

  // The largest groups of nodes that are supported and worth it.
  std::vector<Claim> claims(const GraphData& graph) const;

  // Returns whether a node can be taken by itself, or could be if more sizes were known.
  bool supports(const GraphData& graph, size_t node) const;
};

}  // namespace cppgen::ep
