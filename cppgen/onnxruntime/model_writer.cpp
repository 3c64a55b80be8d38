#include "cppgen/onnxruntime/model_writer.h"

#include <algorithm>
#include <filesystem>

#include "cppgen/onnxruntime/attribute_writer.h"
#include "cppgen/onnxruntime/protobuf.h"
#include "cppgen/onnxruntime/tensor_writer.h"

namespace cppgen::ep {
namespace {

// Numbers of fields in onnx.proto.
namespace model_field {
constexpr int kIrVersion = 1, kProducer = 2, kGraph = 7, kOpsetImport = 8;
constexpr int kOpsetDomain = 1, kOpsetVersion = 2;
}  // namespace model_field

namespace graph_field {
constexpr int kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12;
constexpr int kValueName = 1, kValueType = 2;
constexpr int kTensorType = 1, kElementType = 1, kShape = 2;
constexpr int kDim = 1, kDimValue = 1, kDimParam = 2;
}  // namespace graph_field

namespace node_field {
constexpr int kInput = 1, kOutput = 2, kName = 3, kType = 4, kAttribute = 5, kDomain = 7;
}  // namespace node_field

Message shape_message(const TensorType& type) {
  Message shape;
  for (size_t i = 0; i < type.dims.size(); i++) {
    Message dim;
    if (type.dims[i] >= 0)
      dim.integer(graph_field::kDimValue, type.dims[i]);
    else if (!type.symbols[i].empty())
      dim.text(graph_field::kDimParam, type.symbols[i]);
    shape.message(graph_field::kDim, std::move(dim));
  }
  return shape;
}

// A type that is no tensor has a name alone.
Message value_message(const std::string& name, const TensorType& type) {
  Message message;
  message.text(graph_field::kValueName, name);
  if (type.element == 0) return message;
  Message tensor;
  tensor.integer(graph_field::kElementType, type.element);
  if (type.ranked) tensor.message(graph_field::kShape, shape_message(type));
  return message.message(graph_field::kValueType, Message().message(graph_field::kTensorType, std::move(tensor)));
}

class Writer {
 public:
  Writer(const ort::Api& api, bool tells_ranks, std::string folder)
      : api_(api), tells_ranks_(tells_ranks), constants_{api, std::move(folder)} {}

  Message node(const GraphNode& node) const {
    Message message;
    for (const std::string& name : node.inputs) message.text(node_field::kInput, name);
    for (const std::string& name : node.outputs) message.text(node_field::kOutput, name);
    message.text(node_field::kName, node.name).text(node_field::kType, node.type);
    if (!node.domain.empty()) message.text(node_field::kDomain, node.domain);
    for (Message& attribute : attribute_messages(api_, node.handle))
      message.message(node_field::kAttribute, std::move(attribute));
    add_bodies(node.handle, message);
    return message;
  }

  void add_constant(const std::string& name, const ort::ValueInfo* value, Message& graph) const {
    graph.message(graph_field::kInitializer, constants_.message(name, value));
  }

 private:
  void add_bodies(const ort::Node* node, Message& message) const {
    size_t count = 0;
    require(api_, api_.Node_GetNumSubgraphs(node, &count));
    if (count == 0) return;
    std::vector<const ort::Graph*> bodies(count);
    std::vector<const char*> names(count);
    require(api_, api_.Node_GetSubgraphs(node, bodies.data(), count, names.data()));
    for (size_t i = 0; i < count; i++)
      message.message(node_field::kAttribute, graph_attribute(names[i], body(bodies[i])));
  }

  Message body(const ort::Graph* graph) const {
    Message message;
    message.text(graph_field::kName, "body");
    for (const GraphNode& inner : read_graph(api_, graph).nodes) message.message(graph_field::kNode, node(inner));
    for (const ort::ValueInfo* constant :
         members(api_, api_.Graph_GetNumInitializers, api_.Graph_GetInitializers, graph))
      add_constant(value_name(api_, constant), constant, message);
    for (const ort::ValueInfo* input : members(api_, api_.Graph_GetNumInputs, api_.Graph_GetInputs, graph))
      message.message(graph_field::kInput, typed(input));
    for (const ort::ValueInfo* output : members(api_, api_.Graph_GetNumOutputs, api_.Graph_GetOutputs, graph))
      message.message(graph_field::kOutput, typed(output));
    return message;
  }

  Message typed(const ort::ValueInfo* value) const {
    return value_message(value_name(api_, value), tensor_type(api_, tells_ranks_, value));
  }

  const ort::Api& api_;
  bool tells_ranks_;
  TensorWriter constants_;
};

void add_operator_sets(const ort::Api& api, const ort::Graph* graph, Message& model) {
  size_t count = 0;
  require(api, api.Graph_GetNumOperatorSets(graph, &count));
  std::vector<const char*> domains(count);
  std::vector<int64_t> versions(count);
  if (count > 0) require(api, api.Graph_GetOperatorSets(graph, domains.data(), versions.data(), count));
  for (size_t i = 0; i < count; i++)
    model.message(
        model_field::kOpsetImport,
        Message().text(model_field::kOpsetDomain, domains[i]).integer(model_field::kOpsetVersion, versions[i]));
}

std::string folder_of(const ort::Api& api, const ort::Graph* graph) {
  const char* path = member(api, api.Graph_GetModelPath, graph);
  if (!path || !*path) return "";
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

WrittenModel write_model(const ort::Api& api, bool tells_ranks, const GraphData& graph,
                         const std::vector<size_t>& nodes, const KnownTypes& types,
                         const std::vector<std::string>& more_outputs) {
  WrittenModel written;
  written.boundary = boundary_of(graph, nodes);
  std::vector<std::string>& outputs = written.boundary.outputs;
  for (const std::string& name : more_outputs)
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) outputs.push_back(name);
  written.folder = folder_of(api, graph.handle);
  const Writer writer(api, tells_ranks, written.folder);
  const auto type_of = [&](const std::string& name) {
    const auto known = types.find(name);
    return known != types.end() ? known->second : tensor_type(api, tells_ranks, graph.values.at(name));
  };
  Message body;
  body.text(graph_field::kName, "graph");
  for (const size_t i : nodes) body.message(graph_field::kNode, writer.node(graph.nodes[i]));
  for (const std::string& name : written.boundary.constants) writer.add_constant(name, graph.values.at(name), body);
  for (const std::string& name : written.boundary.inputs)
    body.message(graph_field::kInput, value_message(name, type_of(name)));
  for (const std::string& name : outputs) body.message(graph_field::kOutput, value_message(name, type_of(name)));
  Message model;
  model.integer(model_field::kIrVersion, member(api, api.Graph_GetOnnxIRVersion, graph.handle));
  model.text(model_field::kProducer, "onnxruntime").message(model_field::kGraph, std::move(body));
  add_operator_sets(api, graph.handle, model);
  written.bytes = model.serialized();
  return written;
}

}  // namespace cppgen::ep
