#include "cppgen/import/body_names.h"

#include <fmt/format.h>

namespace cppgen::import {
namespace {

template <class Node, class Visit>
void visit_bodies(Node& node, const Visit& visit) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) visit(*attribute.mutable_g());
    for (auto& graph : *attribute.mutable_graphs()) visit(graph);
  }
}

template <class Visit>
void visit_bodies(const onnx::NodeProto& node, const Visit& visit) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) visit(attribute.g());
    for (const auto& graph : attribute.graphs()) visit(graph);
  }
}

}  // namespace

void NamesInUse::add(const onnx::GraphProto& graph) {
  for (const auto& input : graph.input()) names_.try_emplace(input.name(), 1);
  for (const auto& tensor : graph.initializer()) names_.try_emplace(tensor.name(), 1);
  for (const auto& tensor : graph.sparse_initializer()) names_.try_emplace(tensor.values().name(), 1);
  for (const auto& node : graph.node()) {
    for (const std::string& output : node.output()) names_.try_emplace(output, 1);
    visit_bodies(node, [&](const onnx::GraphProto& body) { add(body); });
  }
}

std::string NamesInUse::unused(const std::string& name) {
  const auto [it, added] = names_.try_emplace(name, 1);
  if (added) return name;
  int& number = it->second;  // stays where it is
  for (;;) {
    std::string found = fmt::format("{}~{}", name, ++number);
    if (names_.try_emplace(found, 1).second) return found;
  }
}

void BodyNames::define(const std::string& inside) {
  if (!inside.empty() && !has(inside)) names_.emplace(inside, used_.unused(prefix_ + inside));
}

void BodyNames::define(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  for (const auto& node : nodes) {
    for (const std::string& output : node.output()) define(output);
    visit_bodies(node, [&](const onnx::GraphProto& body) { define(body); });
  }
}

void BodyNames::define(const onnx::GraphProto& graph) {
  for (const auto& input : graph.input()) define(input.name());
  for (const auto& tensor : graph.initializer()) define(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) define(tensor.values().name());
  define(graph.node());
}

std::string BodyNames::of(const std::string& inside) const {
  const auto found = names_.find(inside);
  return found == names_.end() ? inside : found->second;
}

void BodyNames::rename(onnx::NodeProto& node) const {
  for (std::string& input : *node.mutable_input()) input = of(input);
  for (std::string& output : *node.mutable_output()) output = of(output);
  visit_bodies(node, [&](onnx::GraphProto& body) { rename(body); });
}

void BodyNames::rename(onnx::GraphProto& graph) const {
  for (auto& input : *graph.mutable_input()) input.set_name(of(input.name()));
  for (auto& output : *graph.mutable_output()) output.set_name(of(output.name()));
  for (auto& tensor : *graph.mutable_initializer()) tensor.set_name(of(tensor.name()));
  for (auto& tensor : *graph.mutable_sparse_initializer())
    tensor.mutable_values()->set_name(of(tensor.values().name()));
  graph.clear_value_info();
  for (auto& node : *graph.mutable_node()) rename(node);
}

onnx::NodeProto identity_of(const std::string& from, const std::string& to) {
  onnx::NodeProto node;
  node.set_op_type("Identity");
  node.add_input(from);
  node.add_output(to);
  return node;
}

std::string name_of_node(const onnx::NodeProto& node, int position) {
  return node.name().empty() ? fmt::format("{}#{}", node.op_type(), position) : node.name();
}

}  // namespace cppgen::import
