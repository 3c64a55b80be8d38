// Inlines calls of functions that the model defines: the body replaces the node.
#include <algorithm>

#include "cppgen/import/graph_builder.h"
#include "cppgen/import/order.h"
#include "runtime/base/errors.h"

namespace cppgen::import {
namespace {

constexpr int kMaxCallDepth = 64;

void check_calls(const Function& called, const Call* caller) {
  std::vector<const Call*> chain;
  bool again = false;
  for (const Call* c = caller; c && !again; c = c->caller) {
    chain.push_back(c);
    again = &c->function == &called;
  }
  if (again) {
    std::string text;
    for (auto c = chain.rbegin(); c != chain.rend(); ++c) text += label((*c)->function) + " -> ";
    user_error("functions must not be recursive: {}{}", text, label(called));
  }
  if (chain.size() >= kMaxCallDepth) user_error("function calls are nested more than {} levels deep", kMaxCallDepth);
}

void check_arity(const Function& function, const onnx::NodeProto& node) {
  const onnx::FunctionProto& f = *function.proto;
  if (node.input_size() > f.input_size())
    user_error("{} inputs are given, but function {} has {}", node.input_size(), label(function), f.input_size());
  if (node.output_size() > f.output_size())
    user_error("{} outputs are requested, but function {} has {}", node.output_size(), label(function),
               f.output_size());
}

bool has_references(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const onnx::AttributeProto& a) { return !a.ref_attr_name().empty(); });
}

}  // namespace

std::string GraphBuilder::node_name(const onnx::NodeProto& node, int position) const {
  return full_name(node.name().empty() ? fmt::format("{}#{}", node.op_type(), position) : node.name());
}

// Random numbers come from the names of nodes, so no two calls have one path.
std::string GraphBuilder::call_path(const onnx::NodeProto& node, int position) {
  const std::string name = node_name(node, position);
  int& before = context_.calls[name];
  for (;;) {
    const std::string path = before++ ? fmt::format("{}~{}/", name, before) : name + "/";
    if (context_.call_paths.insert(path).second) return path;
  }
}

void GraphBuilder::add_call(Function& function, const onnx::NodeProto& node, int position) {
  check_arity(function, node);
  check_calls(function, call_);
  context_.budget.take(
      8 * (function.defaults.size() + size_t(function.proto->input_size() + function.proto->output_size())));
  const Call call{function, call_, call_path(node, position), attributes_of(function, node)};
  for (const auto& [name, a] : call.attributes)
    if (a->has_g() || a->graphs_size())
      user_error("attribute {} is a graph, which cannot be passed to functions of a model", quoted(name));
  GraphBuilder body(context_, nullptr, graph_, depth_, &call);
  for (int i = 0; i < function.proto->input_size(); i++) {
    const std::string& inside = function.proto->input(i);
    if (i < node.input_size() && is_map(node.input(i)))
      body.define_map(inside, *this, node.input(i));
    else
      body.define(inside, i < node.input_size() ? operand(node.input(i)) : kNoValue);
  }
  const auto first = ValueId(graph_.values.size());
  body.add_function_nodes(function);
  take_results(body, function, node, first);
}

void GraphBuilder::add_function_nodes(Function& function) {
  onnx::FunctionProto& proto = *function.proto;
  if (function.order.empty()) function.order = topological_order(proto.node(), 0);
  for (int position : function.order) {
    onnx::NodeProto& node = *proto.mutable_node(position);
    in_node(node, position, [&] {
      if (is_constant(node) && !has_references(node)) {
        context_.budget.take(call_->path.size());
        return add_constant_node(node, &function.constants);
      }
      context_.budget.take(node.ByteSizeLong() + call_->path.size() * size_t(1 + node.output_size()));
      onnx::NodeProto own = node;  // tensors are taken out of it, and references replaced
      add_node(own, position);
    });
  }
}

// The values of the body's outputs become the call's. An output that is not a new value, or is listed twice, is copied,
// because a value cannot have two names.
void GraphBuilder::take_results(GraphBuilder& body, const Function& function, const onnx::NodeProto& node,
                                ValueId first) {
  std::set<ValueId> named;
  for (int i = 0; i < function.proto->output_size(); i++) {
    const std::string& inside = function.proto->output(i);
    const std::optional<ValueId> found = body.find(inside);
    if (!found) user_error("output {} of function {} is not defined", quoted(inside), label(function));
    if (i >= node.output_size() || node.output(i).empty()) continue;
    if (*found == kNoValue) user_error("output {} of function {} is an absent input", quoted(inside), label(function));
    const std::string name = full_name(node.output(i));
    ValueId id = *found;
    if (id < first || !named.insert(id).second) {
      id = graph_.add_value(name);
      graph_.add_node("Identity", {*found}, {id}, kNewestOpset).name = body.full_name(inside);
    }
    graph_.value(id).name = name;
    define(node.output(i), id);
  }
}

// Attributes that refer to those of the call get their values; references to what is not given go away.
void GraphBuilder::resolve_references(onnx::NodeProto& node) const {
  auto& attributes = *node.mutable_attribute();
  for (int i = attributes.size(); i-- > 0;) {
    onnx::AttributeProto& a = attributes[i];
    const std::string name = a.name(), reference = a.ref_attr_name();
    if (reference.empty()) continue;
    const auto given = call_->attributes.find(reference);
    if (given == call_->attributes.end()) {
      if (!is_declared(call_->function, reference))
        user_error("attribute {} refers to {}, which function {} does not declare", quoted(name), quoted(reference),
                   label(call_->function));
      attributes.DeleteSubrange(i, 1);
      continue;
    }
    const auto kind = a.type();
    if (kind != onnx::AttributeProto::UNDEFINED && given->second->type() != onnx::AttributeProto::UNDEFINED &&
        kind != given->second->type())
      user_error("attribute {} is of kind {}, but the call gives {} of kind {}", quoted(name),
                 onnx::AttributeProto::AttributeType_Name(kind), quoted(reference),
                 onnx::AttributeProto::AttributeType_Name(given->second->type()));
    context_.budget.take(given->second->ByteSizeLong());
    a = *given->second;
    a.set_name(name);
  }
}

}  // namespace cppgen::import
