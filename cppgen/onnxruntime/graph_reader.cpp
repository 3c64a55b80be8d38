#include "cppgen/onnxruntime/graph_reader.h"

#include <cstring>

namespace cppgen::ep {
namespace {

std::vector<std::string> names_of(const ort::Api& api, const std::vector<const ort::ValueInfo*>& values,
                                  GraphData& graph) {
  std::vector<std::string> names;
  for (const ort::ValueInfo* value : values) {
    names.push_back(value_name(api, value));
    if (!names.back().empty()) graph.values.emplace(names.back(), value);
  }
  return names;
}

GraphNode read_node(const ort::Api& api, const ort::Node* handle, GraphData& graph) {
  GraphNode node;
  node.handle = handle;
  node.name = member(api, api.Node_GetName, handle);
  node.type = member(api, api.Node_GetOperatorType, handle);
  node.domain = member(api, api.Node_GetDomain, handle);
  node.inputs = names_of(api, members(api, api.Node_GetNumInputs, api.Node_GetInputs, handle), graph);
  node.outputs = names_of(api, members(api, api.Node_GetNumOutputs, api.Node_GetOutputs, handle), graph);
  node.outer = names_of(api, members(api, api.Node_GetNumImplicitInputs, api.Node_GetImplicitInputs, handle), graph);
  const char* provider = member(api, api.Node_GetEpName, handle);
  node.taken = provider && *provider;
  return node;
}

void make_names_unique(std::vector<GraphNode>& nodes) {
  std::set<std::string> names;
  for (size_t i = 0; i < nodes.size(); i++) {
    GraphNode& node = nodes[i];
    const std::string given = node.name;
    if (given.empty()) node.name = node.type + "_" + std::to_string(i);
    for (size_t k = i; !names.insert(node.name).second; k++) node.name = given + "_" + std::to_string(k);
  }
}

bool is_constant(const ort::Api& api, const ort::ValueInfo* value) {
  return member(api, api.ValueInfo_IsConstantInitializer, value);
}

void find_constants(const ort::Api& api, GraphData& data) {
  for (const auto& [name, value] : data.values)
    if (is_constant(api, value)) data.constants.insert(name);
}

// Collects names, each once.
class Names {
 public:
  void add(const std::string& name) {
    if (seen_.insert(name).second) list_.push_back(name);
  }
  bool has(const std::string& name) const { return seen_.count(name) > 0; }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> list_;
};

// Calls `use` for each value that a node reads.
template <class Use>
void for_each_read(const GraphNode& node, const Use& use) {
  for (const std::string& name : node.inputs)
    if (!name.empty()) use(name);
  for (const std::string& name : node.outer) use(name);
}

}  // namespace

std::string value_name(const ort::Api& api, const ort::ValueInfo* value) {
  return value ? member(api, api.GetValueInfoName, value) : "";
}

GraphData read_graph(const ort::Api& api, const ort::Graph* graph) {
  GraphData data;
  data.handle = graph;
  for (const ort::Node* node : members(api, api.Graph_GetNumNodes, api.Graph_GetNodes, graph))
    data.nodes.push_back(read_node(api, node, data));
  make_names_unique(data.nodes);
  find_constants(api, data);
  for (const ort::ValueInfo* value : members(api, api.Graph_GetNumOutputs, api.Graph_GetOutputs, graph))
    data.outputs.insert(value_name(api, value));
  return data;
}

GraphData read_parent(const ort::Api& api, const ort::Graph* body) {
  GraphData data;
  data.handle = body;  // of the same model
  const ort::Node* parent = member(api, api.Graph_GetParentNode, body);
  if (!parent) return data;
  data.nodes.push_back(read_node(api, parent, data));
  make_names_unique(data.nodes);
  find_constants(api, data);
  data.outputs.insert(data.nodes[0].outputs.begin(), data.nodes[0].outputs.end());
  return data;
}

Boundary boundary_of(const GraphData& graph, const std::vector<size_t>& nodes) {
  Names written, inputs, constants, outputs;
  std::set<std::string> read_outside = graph.outputs;
  for (size_t i = 0, next = 0; i < graph.nodes.size(); i++) {
    const GraphNode& node = graph.nodes[i];
    if (next == nodes.size() || nodes[next] != i) {
      for_each_read(node, [&](const std::string& name) { read_outside.insert(name); });
      continue;
    }
    next++;
    for_each_read(node, [&](const std::string& name) {
      if (!written.has(name)) (graph.constants.count(name) > 0 ? constants : inputs).add(name);
    });
    for (const std::string& name : node.outputs)
      if (!name.empty()) written.add(name);
  }
  for (const std::string& name : written.list())
    if (read_outside.count(name) > 0) outputs.add(name);
  return {inputs.list(), constants.list(), outputs.list()};
}

TensorType tensor_type(const ort::Api& api, bool tells_ranks, const ort::ValueInfo* value) {
  TensorType type;
  const ort::TypeInfo* info = member(api, api.GetValueInfoTypeInfo, value);
  if (!info || member(api, api.GetOnnxTypeFromTypeInfo, info) != ort::kTensor) return type;
  const ort::TensorInfo* tensor = member(api, api.CastTypeInfoToTensorInfo, info);
  type.element = member(api, api.GetTensorElementType, tensor);
  const size_t rank = member(api, api.GetDimensionsCount, tensor);
  type.ranked = rank > 0 || (tells_ranks && api.TensorTypeAndShape_HasShape(tensor));
  type.dims.resize(rank);
  std::vector<const char*> symbols(rank);
  if (rank > 0) {
    require(api, api.GetDimensions(tensor, type.dims.data(), rank));
    require(api, api.GetSymbolicDimensions(tensor, symbols.data(), rank));
  }
  for (const char* symbol : symbols) type.symbols.emplace_back(symbol ? symbol : "");
  return type;
}

std::string attribute_bytes(const ort::Api& api, const ort::Attribute* attribute, ort::AttributeType type) {
  size_t length = 0;
  // Without memory it fails, unless there is nothing to write, and tells the length.
  if (ort::Status* status = api.ReadOpAttr(attribute, type, nullptr, 0, &length)) api.ReleaseStatus(status);
  std::string bytes(length, '\0');
  if (length > 0) require(api, api.ReadOpAttr(attribute, type, bytes.data(), bytes.size(), &length));
  return bytes;
}

std::string text_attribute(const ort::Api& api, const ort::Node* node, const char* name) {
  const ort::Attribute* attribute = nullptr;
  if (ort::Status* status = api.Node_GetAttributeByName(node, name, &attribute)) api.ReleaseStatus(status);
  return attribute ? attribute_bytes(api, attribute, ort::kString) : "";
}

int64_t integer_attribute(const ort::Api& api, const ort::Node* node, const char* name, int64_t otherwise) {
  const ort::Attribute* attribute = nullptr;
  if (ort::Status* status = api.Node_GetAttributeByName(node, name, &attribute)) api.ReleaseStatus(status);
  if (!attribute) return otherwise;
  int64_t value = 0;
  const std::string bytes = attribute_bytes(api, attribute, ort::kInt);
  if (bytes.size() != sizeof value) throw Failure(std::string("attribute ") + name + " is no integer");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace cppgen::ep
