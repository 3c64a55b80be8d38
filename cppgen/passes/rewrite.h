#pragma once
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// What passes share: how values and nodes are changed. Nodes that lose their users stay until dead code elimination.

// Turns a computed value into a constant; its producer keeps the slot as an absent output. The type becomes the
// tensor's.
void make_constant(Graph&, ValueId, Tensor);

// Values that other values stand for, applied to all uses at once.
class Replacements {
 public:
  explicit Replacements(const Graph& graph) : to_(graph.values.size(), kNoValue) {}

  // `to` must be defined wherever `from` is used: an earlier value, an input or a constant.
  void replace(ValueId from, ValueId to);
  // What stands for `v` now: `v` itself if nothing replaces it.
  ValueId resolve(ValueId v) const;
  // Rewrites inputs of nodes and the graph's outputs. An output keeps its name: the replacement takes it over, unless
  // it is an input, a constant or an output itself; then the output keeps its producer. False if nothing changed.
  bool apply(Graph&);

 private:
  std::vector<ValueId> to_;
};

// Drops nodes marked false and values that no node, input or output mentions; ids change.
void compact(Graph&, const std::vector<bool>& keep_node);

// A new node of ONNX's domain before the one at `position`, with that one's operator set version; later nodes get the
// next id.
Node& insert_node(Graph&, NodeId position, std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs);

// The same inputs give the same outputs: not random, and no body.
bool is_pure(const Node&);

// The constant that a node reads; null if the input is none, or absent.
const Tensor* constant_input(const Graph&, const Node&, size_t input);

// The attribute, or `otherwise` if absent or of another kind.
int64_t integer_attribute(const Node&, const std::string& name, int64_t otherwise);

// All dimensions proved equal.
bool same_shape(const Shape&, const Shape&);

}  // namespace cppgen::passes
