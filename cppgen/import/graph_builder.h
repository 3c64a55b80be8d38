#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/dims.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/host_types.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// What all graphs of one model share while it is imported.
struct ModelContext {
  ExternalData files;
  std::map<std::string, int> opsets;                        // domain -> version
  std::set<std::pair<std::string, std::string>> functions;  // model-local (domain, name)
  InputDims* dims = nullptr;                                // set once the model's inputs are known
};

// The inputs that a caller must give: those that no initializer gives.
std::vector<const onnx::ValueInfoProto*> real_inputs(const onnx::GraphProto&);

// Builds one graph; bodies of its nodes are built by further builders that look unknown names up here.
class GraphBuilder {
 public:
  // `depth` is 0 for the model's own graph; `parent` is null for it.
  GraphBuilder(ModelContext& context, GraphBuilder* parent, Graph& graph, int depth)
      : context_(context), parent_(parent), graph_(graph), depth_(depth) {}

  void build(onnx::GraphProto&);

  // Values of the parent that the graph takes as further inputs, in the order of these inputs.
  const std::vector<ValueId>& captured() const { return captured_; }

 private:
  ValueId find(std::string_view name);  // kNoValue if no graph around defines it
  ValueId capture(std::string_view name);
  void define(std::string_view name, ValueId);
  void add_initializers(onnx::GraphProto&);
  void add_inputs(const onnx::GraphProto&);
  void add_outputs(const onnx::GraphProto&);
  void note_declared(const onnx::ValueInfoProto& output, ValueId);
  void add_node(onnx::NodeProto&, int position);
  void add_constant_node(onnx::NodeProto&);
  ValueId add_strings(const std::string& name, const Strings&);
  void add_attributes(onnx::NodeProto&, Node&);
  std::shared_ptr<Graph> build_body(onnx::GraphProto&, const std::string& attribute, Node&);
  int opset_of(const onnx::NodeProto&) const;

  ModelContext& context_;
  GraphBuilder* parent_;
  Graph& graph_;
  int depth_;
  std::unordered_map<std::string_view, ValueId> scope_;
  std::vector<ValueId> captured_, capture_inputs_;
};

}  // namespace cppgen::import
