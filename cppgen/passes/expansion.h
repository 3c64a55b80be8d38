#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/passes/rewrite.h"

// What expansions of composite operators share (expand_composites.h).
namespace cppgen::passes {

inline constexpr int kExpandedOpset = 21;  // of the nodes made here: quantization in blocks
inline constexpr const char* kMicrosoft = "com.microsoft";
using Attributes = std::map<std::string, Attribute>;

// What stands in a node's place: nodes in front of it, and the node itself, changed.
class Expansion {
 public:
  Expansion(Graph& graph, NodeId at) : graph(graph), old(graph.nodes[size_t(at)]), at_(at) {}

  Graph& graph;
  const Node old;

  ValueId input(size_t i) const { return i < old.inputs.size() ? old.inputs[i] : kNoValue; }
  const Tensor* constant(size_t i) const {
    return input(i) == kNoValue || !graph.value(input(i)).constant ? nullptr : &*graph.value(input(i)).constant;
  }
  // Those that the model gives, not what was noted beside them.
  Attributes given_attributes() const {
    Attributes given = old.attributes;
    std::erase_if(given, [](const auto& a) { return a.first.find(':') != std::string::npos; });
    return given;
  }
  int64_t integer(const char* name, int64_t otherwise) const { return integer_attribute(old, name, otherwise); }

  ValueId add(std::string op, std::vector<ValueId> inputs, Attributes attributes = {}, const char* domain = "") {
    return add_several(std::move(op), std::move(inputs), std::move(attributes), 1, domain)[0];
  }
  std::vector<ValueId> add_several(std::string op, std::vector<ValueId> inputs, Attributes attributes, size_t count,
                                   const char* domain = "") {
    std::vector<ValueId> outputs;
    for (size_t i = 0; i < count; i++) outputs.push_back(graph.add_value(old.name + " " + op));
    Node& made = insert_node(graph, at_++, std::move(op), std::move(inputs), outputs);
    made.domain = domain, made.opset = *domain ? 1 : kExpandedOpset;
    made.name = old.name, made.attributes = std::move(attributes);
    return outputs;
  }
  void become(std::string op, std::vector<ValueId> inputs, Attributes attributes, const char* domain = "") {
    Node& node = graph.nodes[size_t(at_)];
    node.op = std::move(op), node.domain = domain, node.opset = *domain ? 1 : kExpandedOpset;
    node.inputs = std::move(inputs), node.attributes = std::move(attributes);
  }
  // A constant of one element as a scalar, anything else as it is.
  ValueId scalar(size_t i) {
    const Tensor* t = constant(i);
    if (!t || t->elements() != 1 || t->dims.empty()) return input(i);
    Tensor copy = *t;
    copy.dims.clear();
    return graph.add_constant(old.name + " scalar", std::move(copy));
  }

 private:
  NodeId at_;
};

// Those over packed weights, in expand_packed_weights.cpp.
void expand_gather(Expansion&);
void expand_ordered_weights(Expansion&);

}  // namespace cppgen::passes
