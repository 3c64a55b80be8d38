#pragma once
#include <vector>

#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Before this operator set, Add and the like had attributes for broadcasting.
inline constexpr int kBroadcastingOpset = 7;

// Helpers that passes share to change values and nodes. Nodes that lose their users remain until dead code elimination.

// Turns a computed value into a constant; the output of its producer becomes absent. The type becomes the tensor's.
void make_constant(Graph&, ValueId, Tensor);

// Replacements of values by other values, applied to all uses at once.
class Replacements {
 public:
  explicit Replacements(const Graph& graph) : to_(graph.values.size(), kNoValue) {}

  // `to` must be defined wherever `from` is used: an earlier value, an input or a constant.
  void replace(ValueId from, ValueId to);
  // The replacement of `v`, or `v` itself if there is none.
  ValueId resolve(ValueId v) const;
  // Rewrites inputs of nodes and the graph's outputs. An output keeps its name: the replacement takes it over, unless
  // it is an input, a constant or an output itself; then the output keeps its producer. False if nothing changed.
  bool apply(Graph&);

 private:
  std::vector<ValueId> to_;
};

// Removes nodes marked false and unreferenced values; ids change.
void compact(Graph&, const std::vector<bool>& keep_node);

// A node of ONNX's domain that is not in a graph yet.
Node new_node(std::string op, int opset, std::vector<ValueId> inputs, std::vector<ValueId> outputs);

// Returns whether equal inputs give equal outputs: the node is not random and has no body.
bool is_pure(const Node&);

// The constant that a node reads; null if the input is not a constant, or is absent.
const Tensor* constant_input(const Graph&, const Node&, size_t input);

// The attribute, or `otherwise` if it is absent or of another kind.
int64_t integer_attribute(const Node&, const std::string& name, int64_t otherwise);
float float_attribute(const Node&, const std::string& name, float otherwise);
std::string text_attribute(const Node&, const std::string& name, const std::string& otherwise);

// Returns whether all dimensions are proved equal.
bool same_shape(const Shape&, const Shape&);

}  // namespace cppgen::passes
