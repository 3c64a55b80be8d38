#include "cppgen/import/graph_builder.h"

#include <algorithm>
#include <unordered_set>

#include "cppgen/graph/string_elements.h"
#include "cppgen/import/attributes.h"
#include "cppgen/import/host_types.h"
#include "cppgen/import/order.h"
#include "cppgen/import/sparse_tensors.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::import {
namespace {

// Returns host_type_of, but also refuses values without a type.
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
  if (!parent_) maps_ = context_.maps;
  add_initializers(proto);
  add_inputs(proto);
  for (int position : topological_order(proto.node(), depth_)) {
    onnx::NodeProto& node = *proto.mutable_node(position);
    in_node(node, position, [&] {
      if (call_) context_.budget.take(call_->path.size() * size_t(1 + node.output_size()));
      add_node(node, position);
    });
  }
  add_outputs(proto);
  graph_.inputs.insert(graph_.inputs.end(), capture_inputs_.begin(), capture_inputs_.end());
}

void GraphBuilder::in_node(const onnx::NodeProto& node, int position, const std::function<void()>& act) const {
  try {
    act();
  } catch (const UserError& e) {
    // The innermost node names the problem; bodies add no second prefix.
    if (std::string_view(e.what()).starts_with("node ")) throw;
    const std::string name = node.name().empty() ? fmt::format("#{}", position) : node.name();
    user_error("node {} ({}): {}", quoted(full_name(name)), one_line(node.op_type().substr(0, 64)), e.what());
  }
}

std::optional<ValueId> GraphBuilder::find(std::string_view name) {
  auto found = scope_.find(name);
  if (found != scope_.end()) return found->second;
  if (maps_.contains(name)) user_error("{} is a map, which only DictVectorizer and CastMap accept", quoted(name));
  return parent_ ? capture(name) : std::nullopt;
}

ValueId GraphBuilder::operand(const std::string& name) {
  if (name.empty()) return kNoValue;
  const std::optional<ValueId> id = find(name);
  if (!id) user_error("input {} is not defined", quoted(name));
  return *id;
}

std::optional<ValueId> GraphBuilder::capture(std::string_view name) {
  const std::optional<ValueId> outer = parent_->find(name);
  if (!outer || *outer == kNoValue) return outer;
  const Value& value = parent_->graph_.value(*outer);
  ValueId id;
  if (value.constant) {
    id = graph_.add_constant(value.name, *value.constant);  // shares the data
  } else {
    id = graph_.add_value(value.name);
    captured_.push_back(*outer);
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
  for (onnx::SparseTensorProto& sparse : *proto.mutable_sparse_initializer()) {
    const std::string name = sparse.values().name();
    try {
      const ValueId id = graph_.add_constant(name, import_sparse_tensor(sparse, context_.files));
      define(name, id);
    } catch (const UserError& e) {
      user_error("initializer {} {}", quoted(name), e.what());
    }
  }
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
    define(proto_tensor.name(), id);
  }
}

void GraphBuilder::add_inputs(const onnx::GraphProto& proto) {
  std::vector<const onnx::ValueInfoProto*> inputs = real_inputs(proto);
  for (const auto* input : inputs) {
    // The type of a body's input follows from its node; what the model says about it is optional.
    // In a function the names of dimensions mean nothing outside.
    bool typed = input->type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
    const std::optional<HostType> host = !parent_ || typed ? checked_host_type(*input, "input") : std::nullopt;
    ValueId id = graph_.add_value(input->name());
    define(input->name(), id);
    graph_.inputs.push_back(id);
    const auto& type = input->type().tensor_type();
    const bool strings = host && host->kind == ValueKind::strings;
    if (host && !(strings && type.has_shape())) {
      graph_.value(id).host = host;
      continue;
    }
    if (!parent_ && !type.has_shape())
      user_error("input {} has no shape; its number of dimensions must be known", quoted(input->name()));
    if (typed && type.has_shape() && !call_)
      graph_.value(id).type = TensorType{strings ? kString : *dtype_of(type.elem_type()), context_.dims->shape(*input)};
  }
}

void GraphBuilder::add_outputs(const onnx::GraphProto& proto) {
  std::unordered_set<std::string_view> seen;
  for (const auto& output : proto.output()) {
    if (output.type().value_case() != onnx::TypeProto::VALUE_NOT_SET) checked_host_type(output, "output");
    const std::optional<ValueId> id = find(output.name());
    if (!id) user_error("output {} is not defined", quoted(output.name()));
    if (*id == kNoValue) user_error("output {} is an absent input of the function", quoted(output.name()));
    // A body may give one value twice, as what is carried and what is stacked.
    if (!seen.insert(output.name()).second && !parent_) user_error("output {} is listed twice", quoted(output.name()));
    if (!parent_) note_declared(output, *id);
    graph_.outputs.push_back(parent_ ? *id : as_declared(output, *id));
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
  node.facts.declared.emplace(int(at), std::move(dims));
}

// Bodies may give a sequence where an optional is carried: a model that declares the sequence says that it is there.
ValueId GraphBuilder::as_declared(const onnx::ValueInfoProto& output, ValueId id) {
  const NodeId producer = graph_.value(id).producer;
  if (producer < 0 || output.type().value_case() != onnx::TypeProto::kSequenceType) return id;
  const Node from = graph_.nodes[size_t(producer)];
  if (bodies_of(from).empty() || !from.domain.empty()) return id;
  constexpr int kFirstOpset = 18;  // since which OptionalGetElement accepts values that are not optionals
  const ValueId element = graph_.add_value(output.name());
  graph_.add_node("OptionalGetElement", {id}, {element}, std::max(from.opset, kFirstOpset)).name =
      from.name + " " + output.name();
  return element;
}

int GraphBuilder::opset_of(const onnx::NodeProto& node) const {
  std::string domain = normal_domain(node.domain());
  const auto& opsets = call_ ? call_->function.opsets : context_.opsets;
  auto found = opsets.find(domain);
  if (found == opsets.end())
    user_error("{} imports no operator set of domain {}", call_ ? "function " + label(call_->function) : "the model",
               quoted(domain));
  return found->second;
}

void GraphBuilder::add_node(onnx::NodeProto& proto, int position) {
  if (proto.op_type().empty()) user_error("has no operator type");
  if (call_) resolve_references(proto);
  if (Function* function = context_.functions.find(proto)) return add_call(*function, proto, position);
  int opset = opset_of(proto);
  if (is_constant(proto)) return add_constant_node(proto);
  if (copies_map(proto)) return;

  std::vector<ValueId> inputs = inputs_of(proto), outputs;
  for (const std::string& name : proto.output()) {
    outputs.push_back(name.empty() ? kNoValue : graph_.add_value(full_name(name)));
    if (!name.empty()) define(name, outputs.back());
  }
  note_list_of_maps(proto);
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  while (!outputs.empty() && outputs.back() == kNoValue) outputs.pop_back();
  Node& node = graph_.add_node(proto.op_type(), std::move(inputs), std::move(outputs), opset);
  node.domain = normal_domain(proto.domain());
  node.name = node_name(proto, position);
  add_attributes(proto, node);
}

void GraphBuilder::add_attributes(onnx::NodeProto& proto, Node& node) {
  for (onnx::AttributeProto& a : *proto.mutable_attribute()) {
    if (a.name().empty()) user_error("an attribute has no name");
    if (node.attributes.count(a.name())) user_error("attribute {} is given twice", quoted(a.name()));
    if (!a.ref_attr_name().empty())
      user_error("attribute {} refers to a function attribute outside a function", quoted(a.name()));
    Attribute value =
        import_attribute(a, context_.files, [&](onnx::GraphProto& body) { return build_body(body, a.name(), node); });
    node.attributes.emplace(a.name(), std::move(value));
  }
}

// Closes the body over what it uses: captured values become further inputs of the node and of the body.
std::shared_ptr<Graph> GraphBuilder::build_body(onnx::GraphProto& proto, const std::string& attribute, Node& node) {
  if (depth_ >= kMaxGraphNesting) user_error("bodies are nested more than {} levels deep", kMaxGraphNesting);
  auto body = std::make_shared<Graph>();
  body->index = graph_.index;
  body->custom_operators = graph_.custom_operators;
  GraphBuilder builder(context_, this, *body, depth_ + 1, call_);
  builder.build(proto);
  std::vector<int64_t> positions;
  for (ValueId outer : builder.captured()) {
    positions.push_back(int64_t(node.inputs.size()));
    node.inputs.push_back(outer);
  }
  node.facts.captures[attribute] = std::move(positions);
  return body;
}

}  // namespace cppgen::import
