#include "cppgen/import/graph_builder.h"

#include <algorithm>
#include <unordered_set>

#include "cppgen/import/attributes.h"
#include "cppgen/import/host_types.h"
#include "cppgen/import/order.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

// As host_type_of; also refuses values without a type.
std::optional<HostType> checked_host_type(const onnx::ValueInfoProto& v, const char* what) {
  if (v.type().value_case() == onnx::TypeProto::VALUE_NOT_SET) user_error("{} {} has no type", what, quoted(v.name()));
  try {
    return host_type_of(v.type());
  } catch (const UserError& e) {
    user_error("{} {} {}", what, quoted(v.name()), e.what());
  }
}

}  // namespace

std::vector<const onnx::ValueInfoProto*> real_inputs(const onnx::GraphProto& proto) {
  std::unordered_set<std::string_view> given;
  for (const auto& tensor : proto.initializer()) given.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const auto& input : proto.input())
    if (!given.count(input.name())) inputs.push_back(&input);
  return inputs;
}

void GraphBuilder::build(onnx::GraphProto& proto) {
  graph_.name = proto.name();
  graph_.opsets = context_.opsets;
  add_initializers(proto);
  add_inputs(proto);
  for (int position : topological_order(proto, depth_)) {
    onnx::NodeProto& node = *proto.mutable_node(position);
    try {
      add_node(node, position);
    } catch (const UserError& e) {
      // The innermost node names the problem; bodies add no second prefix.
      if (std::string_view(e.what()).starts_with("node ")) throw;
      user_error("node {} ({}): {}", quoted(node.name().empty() ? fmt::format("#{}", position) : node.name()),
                 node.op_type().substr(0, 64), e.what());
    }
  }
  add_outputs(proto);
  graph_.inputs.insert(graph_.inputs.end(), capture_inputs_.begin(), capture_inputs_.end());
}

ValueId GraphBuilder::find(std::string_view name) {
  auto found = scope_.find(name);
  return found != scope_.end() ? found->second : parent_ ? capture(name) : kNoValue;
}

ValueId GraphBuilder::capture(std::string_view name) {
  ValueId outer = parent_->find(name);
  if (outer == kNoValue) return kNoValue;
  const Value& value = parent_->graph_.value(outer);
  ValueId id;
  if (value.constant) {
    id = graph_.add_constant(value.name, *value.constant);  // shares the data
    graph_.value(id).initializer = value.initializer;
  } else {
    id = graph_.add_value(value.name);
    captured_.push_back(outer);
    capture_inputs_.push_back(id);
  }
  scope_.emplace(name, id);
  return id;
}

void GraphBuilder::define(std::string_view name, ValueId id) {
  if (name.empty()) user_error("graph {}: a value has an empty name", quoted(graph_.name));
  if (!scope_.emplace(name, id).second) user_error("value {} is defined twice", quoted(name));
}

void GraphBuilder::add_initializers(onnx::GraphProto& proto) {
  if (proto.sparse_initializer_size())
    user_error("sparse initializer {} is not supported", quoted(proto.sparse_initializer(0).values().name()));
  for (onnx::TensorProto& proto_tensor : *proto.mutable_initializer()) {
    Tensor tensor;
    try {
      if (const auto strings = strings_of(proto_tensor)) {
        define(proto_tensor.name(), add_strings(proto_tensor.name(), *strings));
        continue;
      }
      tensor = import_tensor(proto_tensor, context_.files);
    } catch (const UserError& e) {
      user_error("initializer {} {}", quoted(proto_tensor.name()), e.what());
    }
    ValueId id = graph_.add_constant(proto_tensor.name(), std::move(tensor));
    graph_.value(id).initializer = true;
    define(proto_tensor.name(), id);
  }
}

void GraphBuilder::add_inputs(const onnx::GraphProto& proto) {
  std::vector<const onnx::ValueInfoProto*> inputs = real_inputs(proto);
  for (const auto* input : inputs) {
    // The type of a body's input follows from its node; what the model says about it is optional.
    bool typed = input->type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
    const std::optional<HostType> host = !parent_ || typed ? checked_host_type(*input, "input") : std::nullopt;
    ValueId id = graph_.add_value(input->name());
    define(input->name(), id);
    graph_.inputs.push_back(id);
    if (host) {
      graph_.value(id).host = host;
      continue;
    }
    const auto& type = input->type().tensor_type();
    if (!parent_ && !type.has_shape())
      user_error("input {} has no shape; its number of dimensions must be known", quoted(input->name()));
    if (typed && type.has_shape())
      graph_.value(id).type = TensorType{*dtype_of(type.elem_type()), context_.dims->shape(*input)};
  }
}

void GraphBuilder::add_outputs(const onnx::GraphProto& proto) {
  std::unordered_set<std::string_view> seen;
  for (const auto& output : proto.output()) {
    if (output.type().value_case() != onnx::TypeProto::VALUE_NOT_SET) checked_host_type(output, "output");
    ValueId id = find(output.name());
    if (id == kNoValue) user_error("output {} is not defined", quoted(output.name()));
    if (!seen.insert(output.name()).second) user_error("output {} is listed twice", quoted(output.name()));
    graph_.outputs.push_back(id);
    if (!parent_) note_declared(output, id);
  }
}

// Operators whose output shape only a run knows take the declared one (ops/declared.h).
void GraphBuilder::note_declared(const onnx::ValueInfoProto& output, ValueId id) {
  const NodeId producer = graph_.value(id).producer;
  if (producer < 0 || !output.type().tensor_type().has_shape()) return;
  std::vector<int64_t> dims;
  for (const auto& d : output.type().tensor_type().shape().dim()) {
    if (!d.has_dim_value() || d.dim_value() < 0) return;
    dims.push_back(d.dim_value());
  }
  Node& node = graph_.nodes[size_t(producer)];
  const auto at = std::find(node.outputs.begin(), node.outputs.end(), id) - node.outputs.begin();
  node.attributes.emplace(declared_name(int(at)), std::move(dims));
}

int GraphBuilder::opset_of(const onnx::NodeProto& node) const {
  std::string domain = normal_domain(node.domain());
  if (context_.functions.count({domain, node.op_type()}))
    user_error("calls a function that the model defines; model-local functions are not supported, inline them first");
  auto found = context_.opsets.find(domain);
  if (found == context_.opsets.end()) user_error("the model imports no operator set of domain {}", quoted(domain));
  return found->second;
}

void GraphBuilder::add_node(onnx::NodeProto& proto, int position) {
  if (proto.op_type().empty()) user_error("has no operator type");
  int opset = opset_of(proto);
  if (proto.op_type() == "Constant" && normal_domain(proto.domain()).empty()) return add_constant_node(proto);

  std::vector<ValueId> inputs, outputs;
  for (const std::string& name : proto.input()) {
    ValueId id = name.empty() ? kNoValue : find(name);
    if (id == kNoValue && !name.empty()) user_error("input {} is not defined", quoted(name));
    inputs.push_back(id);
  }
  for (const std::string& name : proto.output()) {
    outputs.push_back(name.empty() ? kNoValue : graph_.add_value(name));
    if (!name.empty()) define(name, outputs.back());
  }
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  while (!outputs.empty() && outputs.back() == kNoValue) outputs.pop_back();
  Node& node = graph_.add_node(proto.op_type(), std::move(inputs), std::move(outputs), opset);
  node.domain = normal_domain(proto.domain());
  node.name = proto.name().empty() ? fmt::format("{}#{}", proto.op_type(), position) : proto.name();
  add_attributes(proto, node);
}

// Constant strings are the result of a node, for they are no data of kernels.
ValueId GraphBuilder::add_strings(const std::string& name, const Strings& strings) {
  const ValueId id = graph_.add_value(name);
  Node& node = graph_.add_node("StringConstant", {}, {id}, 1);
  node.domain = "cppgen";
  node.attributes["strings:dims"] = strings.dims;
  node.attributes["strings:elements"] = strings.elements;
  return id;
}

void GraphBuilder::add_constant_node(onnx::NodeProto& proto) {
  if (proto.output_size() != 1 || proto.output(0).empty()) user_error("a Constant must have one output");
  if (proto.input_size()) user_error("a Constant has no inputs");
  if (proto.attribute_size() == 1) {
    const onnx::AttributeProto& a = proto.attribute(0);
    std::optional<Strings> strings;
    if (a.name() == "value" && a.has_t()) strings = strings_of(a.t());
    if (a.name() == "value_string") strings = Strings{{}, {a.s()}};
    if (a.name() == "value_strings") strings = Strings{{a.strings_size()}, {a.strings().begin(), a.strings().end()}};
    if (strings) return define(proto.output(0), add_strings(proto.output(0), *strings));
  }
  define(proto.output(0), graph_.add_constant(proto.output(0), constant_of(proto, context_.files)));
}

void GraphBuilder::add_attributes(onnx::NodeProto& proto, Node& node) {
  for (onnx::AttributeProto& a : *proto.mutable_attribute()) {
    if (a.name().empty() || a.name().find(':') != std::string::npos)
      user_error("attribute name {} is not allowed", quoted(a.name()));
    if (node.attributes.count(a.name())) user_error("attribute {} is given twice", quoted(a.name()));
    if (!a.ref_attr_name().empty())
      user_error("attribute {} refers to a function's attribute outside a function", quoted(a.name()));
    Attribute value =
        import_attribute(a, context_.files, [&](onnx::GraphProto& body) { return build_body(body, a.name(), node); });
    node.attributes.emplace(a.name(), std::move(value));
  }
}

// Closes the body over what it uses: captured values become further inputs of the node and of the body.
std::shared_ptr<Graph> GraphBuilder::build_body(onnx::GraphProto& proto, const std::string& attribute, Node& node) {
  auto body = std::make_shared<Graph>();
  body->index = graph_.index;
  GraphBuilder builder(context_, this, *body, depth_ + 1);
  builder.build(proto);
  std::vector<int64_t> positions;
  for (ValueId outer : builder.captured()) {
    positions.push_back(int64_t(node.inputs.size()));
    node.inputs.push_back(outer);
  }
  node.attributes[captures_name(attribute)] = std::move(positions);
  return body;
}

}  // namespace cppgen::import
