#include "cppgen/import/maps.h"

#include "cppgen/import/graph_builder.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

onnx::ValueInfoProto declared(const std::string& name, int32_t elem_type, const std::string& size) {
  onnx::ValueInfoProto value;
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(elem_type);
  type.mutable_shape()->add_dim()->set_dim_param(size);
  return value;
}

// Exporters declare each value as a scalar or of shape [1].
bool has_one_element(const onnx::TensorShapeProto& shape) {
  for (const auto& dim : shape.dim())
    if (dim.has_dim_value() && dim.dim_value() != 1) return false;
  return true;
}

void check_map(const std::string& name, const onnx::TypeProto::Map& map) {
  if (map.key_type() != onnx::TensorProto::STRING && map.key_type() != onnx::TensorProto::INT64)
    user_error("input {} is a map whose keys are {}; allowed are strings and int64", quoted(name),
               elem_type_name(map.key_type()));
  if (!map.value_type().has_tensor_type() || !has_one_element(map.value_type().tensor_type().shape()))
    user_error("input {} is a map whose values are not single numbers or strings, which is not supported",
               quoted(name));
}

bool is_identity(const onnx::NodeProto& node) {
  return node.op_type() == "Identity" && node.input_size() == 1 && node.output_size() == 1;
}

bool has_texts(const Node& node, const std::string& attribute) {
  const auto found = node.attributes.find(attribute);
  const auto* texts = found == node.attributes.end() ? nullptr : std::get_if<std::vector<std::string>>(&found->second);
  return texts && !texts->empty();
}

// The type of the keys if the value is a sequence of maps; otherwise empty.
std::string keys_of_maps(const Graph& graph, ValueId id) {
  const NodeId producer = graph.value(id).producer;
  if (producer < 0) return "";
  const Node& node = graph.nodes[size_t(producer)];
  if (node.op == "ZipMap" && node.domain == "ai.onnx.ml")
    return has_texts(node, "classlabels_strings") ? "string" : "int64";
  return node.op == "Identity" && node.domain.empty() ? keys_of_maps(graph, node.inputs[0]) : "";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> types_of_maps(const onnx::GraphProto& model, const Graph& graph) {
  std::vector<std::pair<std::string, std::string>> types;
  for (size_t i = 0; i < graph.outputs.size(); i++)
    if (const std::string keys = keys_of_maps(graph, graph.outputs[i]); !keys.empty())
      types.emplace_back("type:" + model.output(int(i)).name(), "seq(map(" + keys + ",tensor(float)))");
  return types;
}

std::string keys_of_map(const std::string& name) { return name + ".keys"; }
std::string values_of_map(const std::string& name) { return name + ".values"; }

bool takes_map(const onnx::NodeProto& node) {
  return node.domain() == "ai.onnx.ml" && (node.op_type() == "CastMap" || node.op_type() == "DictVectorizer");
}

std::set<std::string, std::less<>> split_map_inputs(onnx::GraphProto& graph) {
  std::set<std::string, std::less<>> maps;
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  for (const auto& input : graph.input()) {
    const std::string& name = input.name();
    if (input.type().sequence_type().elem_type().has_map_type())
      user_error("input {} is a sequence of maps, which is not supported", quoted(name));
    if (!input.type().has_map_type()) {
      *inputs.Add() = input;
      continue;
    }
    const auto& map = input.type().map_type();
    check_map(name, map);
    const std::string size = name + ".size";
    *inputs.Add() = declared(keys_of_map(name), map.key_type(), size);
    *inputs.Add() = declared(values_of_map(name), map.value_type().tensor_type().elem_type(), size);
    maps.insert(name);
  }
  graph.mutable_input()->Swap(&inputs);
  return maps;
}

bool GraphBuilder::is_map(std::string_view name) const {
  return maps_.contains(name) || (parent_ && !scope_.contains(name) && parent_->is_map(name));
}

bool GraphBuilder::is_list_of_maps(std::string_view name) const {
  return lists_of_maps_.contains(name) || (parent_ && parent_->is_list_of_maps(name));
}

void GraphBuilder::define_map(const std::string& name, GraphBuilder& from, const std::string& of) {
  if (scope_.contains(name) || !maps_.insert(name).second) user_error("value {} is defined twice", quoted(name));
  define(keys_of_map(name), from.operand(keys_of_map(of)));
  define(values_of_map(name), from.operand(values_of_map(of)));
}

// Keys and values in place of a map.
std::vector<ValueId> GraphBuilder::inputs_of(const onnx::NodeProto& node) {
  std::vector<ValueId> inputs;
  for (const std::string& name : node.input()) {
    if (is_list_of_maps(name) && !is_identity(node))
      user_error("input {} is a sequence of maps, which is allowed only as an output", quoted(name));
    if (!takes_map(node)) {
      inputs.push_back(operand(name));
    } else if (is_map(name)) {
      inputs.push_back(operand(keys_of_map(name)));
      inputs.push_back(operand(values_of_map(name)));
    } else {
      user_error("input {} must be an input of the model that is a map", quoted(name));
    }
  }
  return inputs;
}

bool GraphBuilder::copies_map(const onnx::NodeProto& node) {
  if (!is_identity(node) || !is_map(node.input(0))) return false;
  define_map(node.output(0), *this, node.input(0));
  return true;
}

void GraphBuilder::note_list_of_maps(const onnx::NodeProto& node) {
  const bool makes = node.op_type() == "ZipMap" && node.domain() == "ai.onnx.ml" && node.output_size() > 0;
  if (makes || (is_identity(node) && is_list_of_maps(node.input(0)))) lists_of_maps_.insert(node.output(0));
}

}  // namespace cppgen::import
