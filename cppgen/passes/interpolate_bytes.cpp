#include <algorithm>

#include "cppgen/graph/users.h"
#include "cppgen/ops/op.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

// Weights that add up to 1 everywhere.
bool interpolates(const Node& node) {
  const std::string mode = text_attribute(node, "mode", "");
  return node.domain.empty() && (node.op == "Resize" || node.op == "Upsample") &&
         (mode == "linear" || mode == "cubic") &&
         text_attribute(node, "coordinate_transformation_mode", "") != "tf_crop_and_resize";
}

bool is_quantized_only(const Graph& graph, const Users& users, ValueId v) {
  const std::vector<NodeId>& readers = users.nodes(v);
  const auto quantizes = [&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    return node.domain.empty() && node.op == "QuantizeLinear" &&
           std::count(node.inputs.begin() + 1, node.inputs.end(), v) == 0;
  };
  return !readers.empty() && users.count(v) == int(readers.size()) &&
         std::all_of(readers.begin(), readers.end(), quantizes);
}

// Interpolates the bytes that the node's input was dequantized from; then the node is the last of its replacements.
class ByteInterpolation {
 public:
  ByteInterpolation(Graph& graph, NodeOrder& order, Users& users, NodeId id)
      : graph_(graph), order_(order), users_(users), id_(id), resize_(graph.nodes[size_t(id)]) {}

  void run(const Dequantized& source) {
    std::vector<ValueId> inputs = resize_.inputs;
    inputs[0] = add("Cast", {source.x}, {{"to", int64_t{1}}});
    ValueId sum = add(resize_.op.c_str(), std::move(inputs), resize_.attributes);
    if (const int64_t zero = source.parameters.zeros[0]; zero != 0) sum = add("Sub", {sum, constant(double(zero))});
    Node& last = graph_.nodes[size_t(id_)];
    users_.remove(last);
    last.op = "Mul", last.inputs = {sum, constant(source.parameters.scales[0])}, last.attributes.clear();
    last.facts = {};
    users_.add(last);
  }

 private:
  Graph& graph_;
  NodeOrder& order_;
  Users& users_;
  NodeId id_;
  Node resize_;  // as it was

  ValueId constant(double value) { return graph_.add_constant(resize_.name, make_floats(DType::f32, {}, {value})); }

  // A node before, with a typed result.
  ValueId add(const char* op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes = {}) {
    const ValueId out = graph_.add_value(resize_.name + "/" + op);
    Node& made = order_.insert_before(id_, op, std::move(inputs), {out});
    made.name = resize_.name, made.attributes = std::move(attributes);
    users_.add(made);
    ops::infer_node(graph_, made.id);
    return out;
  }
};

}  // namespace

void interpolate_bytes(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  Users users(graph);
  order.each_node([&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    if (!interpolates(node)) return;
    const auto source = dequantized(graph, node.inputs[0]);
    if (!source || !source->parameters.per_tensor() || source->parameters.type == DType::i32) return;
    if (is_quantized_only(graph, users, node.outputs[0])) ByteInterpolation(graph, order, users, id).run(*source);
  });
}

}  // namespace cppgen::passes
