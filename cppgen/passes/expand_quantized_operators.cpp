#include <algorithm>

#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/quantization.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::passes {
namespace {

// Inputs of an operator, by position: value, scale and zero point of both operands and of the result.
struct Form {
  const char* name;
  const char* plain;  // the operator on float32
  size_t a, b, y_scale;
  size_t bias;  // 0: none
};
constexpr Form kForms[] = {{"QLinearConv", "Conv", 0, 3, 6, 8}, {"QLinearMatMul", "MatMul", 0, 3, 6, 0}};

class QuantizedExpansion {
 public:
  QuantizedExpansion(Graph& graph, NodeOrder& order, NodeId id, const Form& form)
      : graph_(graph), order_(order), id_(id), form_(form), node_(graph.nodes[size_t(id)]) {}

  bool allowed() const {
    for (size_t i : {form_.a + 1, form_.b + 1, form_.y_scale})
      if (!usable_scale(node_.inputs[i])) return false;
    for (size_t i : {form_.a + 2, form_.b + 2, form_.y_scale + 1})
      if (!graph_.value(node_.inputs[i]).constant) return false;
    // One scale for each row of a left operand has no axis that fits every rank.
    if (elements(node_.inputs[form_.a + 1]) != 1 || elements(node_.inputs[form_.a + 2]) != 1) return false;
    if (elements(node_.inputs[form_.b + 1]) != elements(node_.inputs[form_.b + 2])) return false;
    if (rank(node_.inputs[form_.b + 1]) > 1) return false;
    const ValueId bias = bias_input();
    if (bias != kNoValue && !graph_.value(bias).constant) return false;
    return sum_fits(graph_, node_.inputs[form_.b], form_.bias != 0);
  }

  void run() {
    std::vector<ValueId> operands = {dequantize(form_.a, 0), dequantize(form_.b, weight_axis())};
    if (ValueId bias = bias_input(); bias != kNoValue) operands.push_back(dequantize_bias(bias));
    const ValueId sum = typed_value(DType::f32, graph_.value(node_.outputs[0]).type->shape);
    add(form_.plain, operands, sum).attributes = node_.attributes;
    Node& last = graph_.nodes[size_t(id_)];
    last.op = "QuantizeLinear";
    last.inputs = {sum, node_.inputs[form_.y_scale], node_.inputs[form_.y_scale + 1]};
    last.attributes.clear(), last.facts = {};
  }

 private:
  Graph& graph_;
  NodeOrder& order_;
  NodeId id_;
  Form form_;
  Node node_;  // as it was
  int added_ = 0;

  int64_t elements(ValueId v) const { return graph_.value(v).constant->elements(); }
  size_t rank(ValueId v) const { return graph_.value(v).constant->dims.size(); }

  bool usable_scale(ValueId v) const {
    const Value& value = graph_.value(v);
    return value.constant && value.constant->dtype == DType::f32;
  }

  ValueId bias_input() const {
    return form_.bias != 0 && form_.bias < node_.inputs.size() ? node_.inputs[form_.bias] : kNoValue;
  }

  int64_t weight_axis() const {
    return form_.bias != 0 ? 0 : int64_t(graph_.value(node_.inputs[form_.b]).type->shape.size()) - 1;
  }

  ValueId typed_value(DType type, Shape shape) {
    ValueId v = graph_.add_value(node_.name + "/" + std::to_string(added_));
    graph_.value(v).type = TensorType{type, std::move(shape)};
    return v;
  }

  Node& add(const char* op, std::vector<ValueId> inputs, ValueId output) {
    added_++;
    Node& n = order_.insert_before(id_, op, std::move(inputs), {output});
    n.name = node_.name + "/" + op;
    return n;
  }

  ValueId dequantize(size_t first, int64_t axis) {
    const ValueId x = node_.inputs[first];
    const ValueId out = typed_value(DType::f32, graph_.value(x).type->shape);
    Node& n = add("DequantizeLinear", {x, node_.inputs[first + 1], node_.inputs[first + 2]}, out);
    n.opset = std::max(n.opset, 13);
    n.attributes = {{"axis", axis}};
    return out;
  }

  // The bias counts in units of the product of the operands' scales.
  ValueId dequantize_bias(ValueId bias) {
    const double left = numbers_of(*graph_.value(node_.inputs[form_.a + 1]).constant)[0];
    std::vector<double> scales = numbers_of(*graph_.value(node_.inputs[form_.b + 1]).constant);
    for (double& s : scales) s *= left;
    std::vector<int64_t> dims;
    if (scales.size() != 1) dims = {int64_t(scales.size())};
    const ValueId scale =
        graph_.add_constant(node_.name + "/bias_scale", make_floats(DType::f32, std::move(dims), scales));
    const ValueId out = typed_value(DType::f32, graph_.value(bias).type->shape);
    Node& n = add("DequantizeLinear", {bias, scale}, out);
    n.opset = std::max(n.opset, 13);
    n.attributes = {{"axis", int64_t{0}}};
    return out;
  }
};

}  // namespace

void expand_quantized_operators(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    const Node& node = graph.nodes[size_t(id)];
    auto form = std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return node.op == f.name; });
    if (!node.domain.empty() || form == std::end(kForms)) return;
    QuantizedExpansion expansion(graph, order, id, *form);
    if (expansion.allowed()) expansion.run();
  });
}

}  // namespace cppgen::passes
