#pragma once
#include <span>

#include "cppgen/graph/users.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {

// The operations of a rule: change its node in place, or replace the node's first output by another value.
struct RuleContext {
  Graph& graph;
  const Users& users;  // before this round
  Replacements& replacements;
  Node& node;

  ValueId in(size_t i) const;  // kNoValue if absent
  ValueId out() const { return node.outputs[0]; }
  const TensorType& type(ValueId v) const { return *graph.value(v).type; }
  const Tensor* constant(size_t i) const;  // null unless input i is a constant
  Node* producer(size_t i) const;          // null unless a node computes input i
  void forward(ValueId v) { replacements.replace(out(), v); }
};

// True if the node changed or was replaced. A rule is applied to nodes of its operator in ONNX's own domain.
struct CanonicalRule {
  const char* op;
  bool (*apply)(RuleContext&);
};

// Returns whether the run must check the node's shape: a dimension that it compares, or one that the model declares
// although an argument of the run decides it. Such a node stays, as its shape is no proof.
bool checks_in_run(Graph&, NodeId);

std::span<const CanonicalRule> forwarding_rules();  // nodes that return an input unchanged
std::span<const CanonicalRule> shape_rules();       // Reshape and Transpose
std::span<const CanonicalRule> arithmetic_rules();

}  // namespace cppgen::passes
