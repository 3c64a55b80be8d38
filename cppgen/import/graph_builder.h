#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/dims.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/function_table.h"
#include "cppgen/import/host_types.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// State that all graphs of one model share during import.
struct ModelContext {
  ExternalData files;
  std::map<std::string, int> opsets;  // domain -> version
  FunctionTable functions;
  InputDims* dims = nullptr;                  // set once the model's inputs are known
  std::set<std::string, std::less<>> maps{};  // inputs of the model that are maps (maps.h)
  InlineBudget budget{};
  std::map<std::string, int> calls{};  // by name
  std::set<std::string> call_paths{};
};

// The inputs that a caller must provide: those without an initializer.
std::vector<const onnx::ValueInfoProto*> real_inputs(const onnx::GraphProto&);

// Builds one graph; bodies of its nodes are built by further builders, which look up unknown names here. The body of a
// function is built into the graph of the node that calls it, by a builder whose names are its own.
class GraphBuilder {
 public:
  // `depth` is 0 for the model's own graph; `parent` is null for it and for functions; `call` is null outside
  // functions.
  GraphBuilder(ModelContext& context, GraphBuilder* parent, Graph& graph, int depth, const Call* call = nullptr)
      : context_(context), parent_(parent), graph_(graph), depth_(depth), call_(call) {}

  void build(onnx::GraphProto&);

  // Values of the parent that the graph captures as further inputs, in the order of these inputs.
  const std::vector<ValueId>& captured() const { return captured_; }

 private:
  // nullopt if no enclosing graph defines it; kNoValue for an absent input of a function.
  std::optional<ValueId> find(std::string_view name);
  std::optional<ValueId> capture(std::string_view name);
  bool is_map(std::string_view name) const;
  bool is_list_of_maps(std::string_view name) const;
  void define_map(const std::string& name, GraphBuilder& from, const std::string& of);
  ValueId operand(const std::string& name);
  void define(std::string_view name, ValueId);
  void add_initializers(onnx::GraphProto&);
  void add_inputs(const onnx::GraphProto&);
  void add_outputs(const onnx::GraphProto&);
  ValueId as_declared(const onnx::ValueInfoProto& output, ValueId);
  void note_declared(const onnx::ValueInfoProto& output, ValueId);
  // Runs `act`; errors name the node.
  void in_node(const onnx::NodeProto&, int position, const std::function<void()>& act) const;
  void add_node(onnx::NodeProto&, int position);
  std::vector<ValueId> inputs_of(const onnx::NodeProto&);
  bool copies_map(const onnx::NodeProto&);
  void note_list_of_maps(const onnx::NodeProto&);
  bool is_constant(const onnx::NodeProto&);
  using SharedConstants = std::map<const onnx::NodeProto*, Tensor>;
  void add_constant_node(onnx::NodeProto&, SharedConstants* = nullptr);
  Tensor constant_tensor(onnx::NodeProto&, SharedConstants*);
  ValueId add_strings(const std::string& name, const Strings&);
  void add_attributes(onnx::NodeProto&, Node&);
  std::shared_ptr<Graph> build_body(onnx::GraphProto&, const std::string& attribute, Node&);
  int opset_of(const onnx::NodeProto&) const;
  // Names of values and nodes in a function are prefixed with the path of the call.
  std::string full_name(const std::string& name) const { return call_ ? call_->path + name : name; }
  std::string node_name(const onnx::NodeProto&, int position) const;

  void add_call(Function&, const onnx::NodeProto&, int position);
  std::string call_path(const onnx::NodeProto&, int position);
  void add_function_nodes(Function&);
  void take_results(GraphBuilder& body, const Function&, const onnx::NodeProto&, ValueId first);
  void resolve_references(onnx::NodeProto&) const;

  ModelContext& context_;
  GraphBuilder* parent_;
  Graph& graph_;
  int depth_;
  const Call* call_;
  std::map<std::string, ValueId, std::less<>> scope_;
  // Names of maps, whose keys and values are in the scope, and of sequences of maps, which only outputs may be.
  std::set<std::string, std::less<>> maps_, lists_of_maps_;
  std::vector<ValueId> captured_, capture_inputs_;
};

}  // namespace cppgen::import
