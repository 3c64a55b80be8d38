#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cppgen/graph/users.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

constexpr int kMostSteps = 64;              // of a chain; sums have two
constexpr int64_t kMostElements = 1 << 16;  // of a constant that is rewritten

// Divides a value by a constant, by dividing the constants that it is made of.
class Divider {
 public:
  Divider(Graph& graph, NodeOrder& order, Users& users) : graph_(graph), order_(order), users_(users) {}

  // Returns whether `divide` can; `scales` says whether some constant factor was found.
  bool can_divide(ValueId v, bool& scales, int& steps) const {
    if (++steps > kMostSteps) return false;
    const Value& value = graph_.value(v);
    if (value.constant) return replaceable(value);
    if (value.producer < 0) return false;
    const Node& node = graph_.nodes[size_t(value.producer)];
    if (node.op == "DequantizeLinear") return (scales = quantization_of(graph_, node).has_value());
    if (users_.count(v) != 1 || !node.domain.empty()) return false;
    if (node.op == "Mul") return (scales = constant_side(node) >= 0);
    if (node.op == "Add" || node.op == "Concat") return all(node.inputs, scales, steps);
    if (node.op == "Relu" || moves_elements(node)) return can_divide(node.inputs[0], scales, steps);
    return false;
  }

  // Divides input `i` of the node that computes `v`.
  void divide_input(ValueId v, size_t i, double divisor) {
    const NodeId id = graph_.value(v).producer;
    const ValueId in = graph_.nodes[size_t(id)].inputs[i];
    if (graph_.value(in).constant) {
      set_input(id, i, divided(in, divisor));
    } else if (producer(graph_, in, "DequantizeLinear") && users_.count(in) != 1) {
      const ValueId copy = copy_of_dequantized(in);
      set_input(id, i, copy);
      divide(copy, divisor);
    } else {
      divide(in, divisor);
    }
  }

 private:
  Graph& graph_;
  NodeOrder& order_;
  Users& users_;

  void set_input(NodeId id, size_t i, ValueId v) { users_.set_input(graph_.nodes[size_t(id)], i, v); }

  bool replaceable(const Value& v) const {
    return v.constant->dtype == DType::f32 && v.constant->elements() <= kMostElements;
  }

  bool all(const std::vector<ValueId>& values, bool& scales, int& steps) const {
    return std::all_of(values.begin(), values.end(), [&](ValueId v) { return can_divide(v, scales, steps); });
  }

  int constant_side(const Node& node) const {
    for (int side : {1, 0}) {
      const Value& v = graph_.value(node.inputs[size_t(side)]);
      if (v.constant && replaceable(v)) return side;
    }
    return -1;
  }

  ValueId divided(ValueId constant, double divisor) {
    const Tensor t = *graph_.value(constant).constant;
    std::vector<double> values = numbers_of(t);
    for (double& x : values) x /= divisor;
    const std::string name = graph_.value(constant).name;
    return graph_.add_constant(name, make_floats(DType::f32, t.dims, values));
  }

  // A value that one node reads.
  void divide(ValueId v, double divisor) {
    const NodeId id = graph_.value(v).producer;
    const Node& node = graph_.nodes[size_t(id)];
    if (node.op == "DequantizeLinear") {
      divide_input(v, 1, divisor);
    } else if (node.op == "Mul") {
      divide_input(v, size_t(constant_side(node)), divisor);
    } else {
      const size_t count = node.op == "Add" || node.op == "Concat" ? node.inputs.size() : 1;
      for (size_t i = 0; i < count; i++) divide_input(v, i, divisor);
    }
  }

  // Other readers keep the scale.
  ValueId copy_of_dequantized(ValueId v) {
    const Node node = graph_.nodes[size_t(graph_.value(v).producer)];
    const ValueId copy = graph_.add_value(graph_.value(v).name + "/scaled");
    graph_.value(copy).type = graph_.value(v).type;
    Node& added = order_.insert_before(node.id, node.op, node.inputs, {copy});
    added.name = node.name;
    added.attributes = node.attributes;
    users_.add(added);
    return copy;
  }
};

int64_t least_of(DType t) { return t == DType::i8 ? -128 : 0; }

// Values below zero are quantized to the smallest number anyway, if that represents zero.
void skip_relu(Graph& graph, Node& node) {
  const Quantization q = *quantization_of(graph, node);
  const bool least_is_zero = q.per_tensor() && q.zeros[0] == least_of(q.type);
  if (const Node* relu = producer(graph, node.inputs[0], "Relu"); relu && least_is_zero)
    node.inputs[0] = relu->inputs[0];
}

// Averages of numbers of steps are often exactly halfway between two steps, so the last bit of the quotient decides.
bool is_average(const Graph& graph, ValueId v) {
  const NodeId producer = graph.value(v).producer;
  if (producer < 0) return false;
  static constexpr std::array<std::string_view, 6> kAverages{"AveragePool", "GlobalAveragePool", "Mean", "ReduceMean",
                                                             "Resize",      "Upsample"};
  const Node& node = graph.nodes[size_t(producer)];
  return node.domain.empty() && std::find(kAverages.begin(), kAverages.end(), node.op) != kAverages.end();
}

// If the division cannot be folded into constants, a product is still cheaper. Quantizing an input of the model is
// bound by memory, so it keeps its division.
bool multiply_by_reciprocal(Graph& graph, NodeOrder& order, Users& users, ValueId result, double scale) {
  const Node& quantize = graph.nodes[size_t(graph.value(result).producer)];
  const ValueId x = quantize.inputs[0];
  if (graph.value(x).producer < 0 || is_average(graph, x) || !std::isnormal(float(1 / scale))) return false;
  const NodeId id = graph.value(result).producer;
  const std::string name = graph.value(result).name;
  const ValueId factor = graph.add_constant(name + "/reciprocal", make_floats(DType::f32, {}, {1 / scale}));
  const ValueId source = graph.nodes[size_t(id)].inputs[0], scaled = graph.add_value(name + "/scaled");
  graph.value(scaled).type = graph.value(source).type;
  users.add(order.insert_before(id, "Mul", {source, factor}, {scaled}));
  users.set_input(graph.nodes[size_t(id)], 0, scaled);
  return true;
}

}  // namespace

void fold_requantization(Graph& graph, const PassOptions&) {
  for (Node& node : graph.nodes)
    if (node.op == "QuantizeLinear" && quantization_of(graph, node)) skip_relu(graph, node);
  eliminate_dead_code(graph);  // what no longer reads a value must not count as a reader
  NodeOrder order(graph);
  Users users(graph);
  Divider divider(graph, order, users);
  order.each_node([&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    const auto q = node.op == "QuantizeLinear" ? quantization_of(graph, node) : std::nullopt;
    if (!q || !q->per_tensor() || q->scales[0] == 1) return;
    bool scales = false;
    int steps = 0;
    const ValueId source = node.inputs[0], result = node.outputs[0];
    if (graph.value(source).constant || graph.value(source).type->dtype != DType::f32) return;
    const std::vector<int64_t> dims = graph.value(node.inputs[1]).constant->dims;
    if (divider.can_divide(source, scales, steps) && scales)
      divider.divide_input(result, 0, q->scales[0]);
    else if (!multiply_by_reciprocal(graph, order, users, result, q->scales[0]))
      return;
    const ValueId one = graph.add_constant(graph.value(result).name + "/unit_scale",
                                           make_floats(DType::f32, dims, std::vector<double>{1}));
    users.set_input(graph.nodes[size_t(id)], 1, one);
  });
}

}  // namespace cppgen::passes
