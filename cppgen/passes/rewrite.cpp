#include "cppgen/passes/rewrite.h"

#include <algorithm>
#include <array>

#include "runtime/base/errors.h"

namespace cppgen::passes {
namespace {

template <class T>
T attribute_or(const Node& node, const std::string& name, const T& otherwise) {
  const auto found = node.attributes.find(name);
  const T* value = found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

}  // namespace

void make_constant(Graph& graph, ValueId id, Tensor tensor) {
  Value& v = graph.value(id);
  check(!v.constant, "make_constant: the value is a constant already");
  if (v.producer >= 0)
    for (ValueId& out : graph.nodes[size_t(v.producer)].outputs)
      if (out == id) out = kNoValue;
  v.producer = -1;
  v.contents.reset();
  v.type = TensorType{tensor.dtype, Shape(tensor.dims.begin(), tensor.dims.end())};
  v.constant = std::move(tensor);
}

void Replacements::replace(ValueId from, ValueId to) {
  if (size_t(std::max(from, to)) >= to_.size()) to_.resize(size_t(std::max(from, to)) + 1, kNoValue);
  to = resolve(to);
  check(to != from, "a value would replace itself");
  to_[size_t(from)] = to;
}

ValueId Replacements::resolve(ValueId v) const {
  while (v != kNoValue && size_t(v) < to_.size() && to_[size_t(v)] != kNoValue) v = to_[size_t(v)];
  return v;
}

bool Replacements::apply(Graph& graph) {
  bool changed = false;
  for (Node& node : graph.nodes)
    for (ValueId& in : node.inputs) {
      ValueId to = resolve(in);
      changed |= to != in;
      in = to;
    }
  for (ValueId& out : graph.outputs) {
    ValueId to = resolve(out);
    if (to == out || graph.value(to).producer < 0) continue;
    if (std::find(graph.outputs.begin(), graph.outputs.end(), to) != graph.outputs.end()) continue;
    graph.value(to).name = graph.value(out).name;
    out = to;
    changed = true;
  }
  return changed;
}

void compact(Graph& graph, const std::vector<bool>& keep_node) {
  std::vector<bool> used(graph.values.size());
  auto mark = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : ids)
      if (id != kNoValue) used[size_t(id)] = true;
  };
  std::vector<Node> nodes;
  for (size_t i = 0; i < graph.nodes.size(); i++)
    if (keep_node[i]) nodes.push_back(std::move(graph.nodes[i]));
  for (const Node& node : nodes) mark(node.inputs), mark(node.outputs);
  mark(graph.inputs);
  mark(graph.outputs);

  std::vector<ValueId> renamed(graph.values.size(), kNoValue);
  std::vector<Value> values;
  for (size_t i = 0; i < graph.values.size(); i++) {
    if (!used[i]) continue;
    renamed[i] = ValueId(values.size());
    values.push_back(std::move(graph.values[i]));
    values.back().id = renamed[i];
    values.back().producer = -1;
  }
  auto rename = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids)
      if (id != kNoValue) id = renamed[size_t(id)];
  };
  rename(graph.inputs);
  rename(graph.outputs);
  for (size_t i = 0; i < nodes.size(); i++) {
    nodes[i].id = NodeId(i);
    rename(nodes[i].inputs);
    rename(nodes[i].outputs);
    for (ValueId out : nodes[i].outputs)
      if (out != kNoValue) values[size_t(out)].producer = NodeId(i);
  }
  graph.nodes = std::move(nodes);
  graph.values = std::move(values);
}

Node new_node(std::string op, int opset, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  return {.id = -1,
          .name = op,
          .op = op,
          .domain = "",
          .opset = opset,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .attributes = {}};
}

bool is_pure(const Node& node) {
  static constexpr std::array kRandom{"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike",
                                      "Multinomial",  "Bernoulli",     "Dropout"};
  if (std::find(kRandom.begin(), kRandom.end(), node.op) != kRandom.end()) return false;
  return std::none_of(node.attributes.begin(), node.attributes.end(),
                      [](const auto& a) { return std::holds_alternative<std::shared_ptr<Graph>>(a.second); });
}

const Tensor* constant_input(const Graph& graph, const Node& node, size_t input) {
  if (input >= node.inputs.size() || node.inputs[input] == kNoValue) return nullptr;
  const Value& v = graph.value(node.inputs[input]);
  return v.constant ? &*v.constant : nullptr;
}

int64_t integer_attribute(const Node& node, const std::string& name, int64_t otherwise) {
  return attribute_or(node, name, otherwise);
}

float float_attribute(const Node& node, const std::string& name, float otherwise) {
  return attribute_or(node, name, otherwise);
}

std::string text_attribute(const Node& node, const std::string& name, const std::string& otherwise) {
  return attribute_or(node, name, otherwise);
}

bool same_shape(const Shape& a, const Shape& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), ir::prove_equal);
}

}  // namespace cppgen::passes
