#include "cppgen/baseline/patterns.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cppgen/graph/users.h"
#include "cppgen/passes/channel_affine.h"
#include "cppgen/passes/node_order.h"
#include "cppgen/passes/passes.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::baseline {
namespace {

// Constants of exported models have six digits or more.
bool near(std::optional<double> value, double expected) {
  return value && std::abs(*value - expected) <= 1e-5 * std::abs(expected);
}

// Looks along the edges of a graph and changes it. Every query gives kNoValue, null or nothing where the graph has
// another form.
class Matcher {
 public:
  explicit Matcher(Graph& graph) : graph_(graph), order_(graph), users_(graph) {}

  // Turns the producer of `result` into `op`.
  void become(ValueId result, const char* op, std::vector<ValueId> inputs, std::map<std::string, Attribute> attributes,
              int least_opset) {
    Node& node = graph_.nodes[size_t(graph_.value(result).producer)];
    users_.remove(node);
    node.op = op, node.inputs = std::move(inputs), node.attributes = std::move(attributes), node.facts = {};
    node.opset = std::max(node.opset, least_opset);
    users_.add(node);
  }

  std::optional<double> scalar(ValueId v) const { return scalar_of(graph_, v); }

  const Node* producer(ValueId v, const char* op) const {
    if (v == kNoValue || graph_.value(v).producer < 0) return nullptr;
    const Node& node = graph_.nodes[size_t(graph_.value(v).producer)];
    return node.op == op && node.domain.empty() ? &node : nullptr;
  }

  // The only reader, if it is such a node.
  const Node* reader(ValueId v, const char* op) const {
    if (users_.nodes(v).size() != 1) return nullptr;
    const Node& node = graph_.nodes[size_t(users_.nodes(v)[0])];
    return node.op == op && node.domain.empty() ? &node : nullptr;
  }

  static ValueId other_input(const Node& node, ValueId v) { return node.inputs[node.inputs[0] == v ? 1 : 0]; }

  // x, where v = op(x, c) with a constant near c on either side.
  ValueId with_scalar(ValueId v, const char* op, double c) const {
    const Node* node = producer(v, op);
    if (!node) return kNoValue;
    if (near(scalar(node->inputs[1]), c)) return node->inputs[0];
    const bool either = node->op == "Add" || node->op == "Mul";
    return either && near(scalar(node->inputs[0]), c) ? node->inputs[1] : kNoValue;
  }

  // The product of v, x and the constant c in whatever association: the value that holds it.
  ValueId product_with(ValueId v, ValueId x, double c) const {
    bool has_x = false, has_c = false;
    while (!(has_x && has_c)) {
      const Node* node = reader(v, "Mul");
      if (!node) return kNoValue;
      const ValueId other = other_input(*node, v);
      if (!has_c && near(scalar(other), c)) {
        has_c = true;
      } else if (!has_x && other == x) {
        has_x = true;
      } else if (!has_x && !has_c && with_scalar(other, "Mul", c) == x) {
        has_x = has_c = true;
      } else {
        return kNoValue;
      }
      v = node->outputs[0];
    }
    return v;
  }

  ValueId plus_one(ValueId v) const {
    const Node* add = reader(v, "Add");
    return add && near(scalar(other_input(*add, v)), 1) ? add->outputs[0] : kNoValue;
  }

  // x, where v = x * x.
  ValueId square_root(ValueId v) const {
    if (const Node* mul = producer(v, "Mul"); mul && mul->inputs[0] == mul->inputs[1]) return mul->inputs[0];
    return with_scalar(v, "Pow", 2);
  }

  ValueId cube_root(ValueId v) const {
    if (const Node* mul = producer(v, "Mul"))
      for (int i : {0, 1})
        if (square_root(mul->inputs[size_t(i)]) == mul->inputs[size_t(1 - i)]) return mul->inputs[size_t(1 - i)];
    return with_scalar(v, "Pow", 3);
  }

  // Puts a node that computes `results` in front of node `at`.
  Node& insert(NodeId at, const char* op, std::vector<ValueId> inputs, std::vector<ValueId> results) {
    Node& node = order_.insert_before(at, op, std::move(inputs), std::move(results));
    users_.add(node);
    return node;
  }

  passes::NodeOrder& order() { return order_; }
  Graph& graph() { return graph_; }

 private:
  Graph& graph_;
  passes::NodeOrder order_;
  Users users_;
};

// The half of x * (1 + inner), where `inner` reads x.
void become_gelu(Matcher& m, ValueId inner, ValueId x, const char* approximation) {
  const ValueId sum = m.plus_one(inner);
  const ValueId result = sum == kNoValue ? kNoValue : m.product_with(sum, x, 0.5);
  if (result != kNoValue) m.become(result, "Gelu", {x}, {{"approximate", std::string(approximation)}}, 20);
}

void erf_gelu(Matcher& m, const Node& node) {
  ValueId x = m.with_scalar(node.inputs[0], "Div", std::sqrt(2.0));
  if (x == kNoValue) x = m.with_scalar(node.inputs[0], "Mul", std::sqrt(0.5));
  if (x != kNoValue) become_gelu(m, node.outputs[0], x, "none");
}

// tanh(0.79788 * (x + 0.044715 * x^3))
void tanh_gelu(Matcher& m, const Node& node) {
  const ValueId inner = m.with_scalar(node.inputs[0], "Mul", std::sqrt(2 / M_PI));
  const Node* add = inner == kNoValue ? nullptr : m.producer(inner, "Add");
  if (!add) return;
  for (int i : {0, 1}) {
    const ValueId x = add->inputs[size_t(i)], cube = m.with_scalar(add->inputs[size_t(1 - i)], "Mul", 0.044715);
    if (cube != kNoValue && m.cube_root(cube) == x) return become_gelu(m, node.outputs[0], x, "tanh");
  }
}

void swish(Matcher& m, const Node& node) {
  const Node* mul = m.reader(node.outputs[0], "Mul");
  if (mul && m.other_input(*mul, node.outputs[0]) == node.inputs[0])
    m.become(mul->outputs[0], "Swish", {node.inputs[0]}, {}, 24);
}

void hard_swish(Matcher& m, const Node& node) {
  const Node* mul = m.reader(node.outputs[0], "Mul");
  const auto number = [&](const char* name, float otherwise) {
    const auto at = node.attributes.find(name);
    return at == node.attributes.end() ? otherwise : std::get<float>(at->second);
  };
  if (mul && m.other_input(*mul, node.outputs[0]) == node.inputs[0] && near(number("alpha", 0.2f), 1.0 / 6) &&
      number("beta", 0.5f) == 0.5f)
    m.become(mul->outputs[0], "HardSwish", {node.inputs[0]}, {}, 14);
}

// The mean over the last axis.
ValueId mean_over_last(const Matcher& m, Graph& graph, ValueId v) {
  const Node* mean = m.producer(v, "ReduceMean");
  if (!mean || passes::integer_attribute(*mean, "keepdims", 1) != 1) return kNoValue;
  std::vector<int64_t> axes;
  if (const auto at = mean->attributes.find("axes"); at != mean->attributes.end())
    axes = std::get<std::vector<int64_t>>(at->second);
  else if (mean->inputs.size() > 1 && mean->inputs[1] != kNoValue && graph.value(mean->inputs[1]).constant)
    axes = integers_of(*graph.value(mean->inputs[1]).constant);
  const auto rank = int64_t(graph.value(mean->inputs[0]).type->shape.size());
  return axes.size() == 1 && (axes[0] == -1 || axes[0] == rank - 1) ? mean->inputs[0] : kNoValue;
}

// A constant of one element per position of the last axis, as a vector.
ValueId row_parameter(Graph& graph, ValueId v, ValueId like) {
  const Value& value = graph.value(v);
  const Shape& shape = graph.value(like).type->shape;
  if (!value.constant || value.constant->dtype != DType::f32 || shape.empty() || !shape.back().is_constant())
    return kNoValue;
  if (value.constant->dims.empty() || value.constant->dims.back() != shape.back().constant() ||
      value.constant->elements() != shape.back().constant())
    return kNoValue;
  Tensor vector = *value.constant;
  vector.dims = {vector.elements()};
  return graph.add_constant(value.name, vector);
}

// d / sqrt(mean(d * d) + epsilon) * scale + shift with d = x - mean(x); `node` is the square root.
void layer_normalization(Matcher& m, const Node& node) {
  Graph& graph = m.graph();
  const Node* sum = m.producer(node.inputs[0], "Add");
  const Node* quotient = m.reader(node.outputs[0], "Div");
  if (!sum || !quotient || quotient->inputs[1] != node.outputs[0]) return;
  const int mean_at = m.scalar(sum->inputs[1]) ? 0 : 1;
  const auto epsilon = m.scalar(sum->inputs[size_t(1 - mean_at)]);
  const ValueId squares = mean_over_last(m, graph, sum->inputs[size_t(mean_at)]);
  if (!epsilon || squares == kNoValue) return;
  const ValueId difference = m.square_root(squares);
  const Node* sub = difference == quotient->inputs[0] ? m.producer(difference, "Sub") : nullptr;
  if (!sub || mean_over_last(m, graph, sub->inputs[1]) != sub->inputs[0]) return;
  const ValueId x = sub->inputs[0];
  const Node* mul = m.reader(quotient->outputs[0], "Mul");
  const Node* add = mul ? m.reader(mul->outputs[0], "Add") : nullptr;
  if (!add) return;
  const ValueId result = add->outputs[0];
  const ValueId scale = row_parameter(graph, m.other_input(*mul, quotient->outputs[0]), x);
  const ValueId shift = row_parameter(graph, m.other_input(*add, mul->outputs[0]), x);
  if (scale == kNoValue || shift == kNoValue) return;
  m.become(result, "LayerNormalization", {x, scale, shift}, {{"axis", int64_t(-1)}, {"epsilon", float(*epsilon)}}, 17);
}

// scale[c] * x + shift[c] on images; `node` is the multiplication.
void batch_normalization(Matcher& m, const Node& node) {
  Graph& graph = m.graph();
  const Node* add = m.reader(node.outputs[0], "Add");
  const auto first = passes::as_affine_step(graph, node);
  const auto second = add ? passes::as_affine_step(graph, *add) : std::nullopt;
  if (!first || !second || second->input != node.outputs[0]) return;
  const TensorType& type = *graph.value(first->input).type;
  const passes::ChannelAffine both = first->affine.then(second->affine);
  if (type.dtype != DType::f32 || type.shape.size() < 3 || both.scale.size() < 2 ||
      both.scale.size() != both.shift.size())
    return;
  const auto channels = int64_t(both.scale.size());
  const ValueId result = add->outputs[0];
  const auto constant = [&](const std::vector<double>& values) {
    return graph.add_constant(node.name, make_floats(DType::f32, {channels}, values));
  };
  const ValueId scale = constant(both.scale), shift = constant(both.shift);
  const ValueId mean = constant(std::vector<double>(both.scale.size(), 0));
  const ValueId variance = constant(std::vector<double>(both.scale.size(), 1));
  m.become(result, "BatchNormalization", {first->input, scale, shift, mean, variance}, {{"epsilon", 0.0f}}, 15);
}

// The factors of a product's operands become one of its result, where it is a post-operation.
void scaled_product(Matcher& m, const Node& node) {
  Graph& graph = m.graph();
  std::vector<ValueId> operands = node.inputs;
  double factor = 1;
  for (ValueId& operand : operands) {
    const Node* mul = m.producer(operand, "Mul");
    if (!mul || !m.reader(operand, "MatMul")) continue;
    for (size_t i : {0, 1}) {
      const auto c = m.scalar(mul->inputs[i]);
      if (!c || graph.value(mul->inputs[1 - i]).type->shape != graph.value(operand).type->shape) continue;
      factor *= *c, operand = mul->inputs[1 - i];
      break;
    }
  }
  if (operands == node.inputs) return;
  const ValueId result = node.outputs[0], product = graph.add_value(graph.value(result).name + "/unscaled");
  const ValueId constant = graph.add_constant(node.name + "/factor", make_floats(DType::f32, {}, {factor}));
  graph.value(product).type = graph.value(result).type;
  const std::string name = node.name;  // inserting moves the nodes
  m.insert(node.id, "MatMul", operands, {product}).name = name;
  m.become(result, "Mul", {product, constant}, {}, 0);
}

struct Pattern {
  const char* op;  // of the node that a match begins at
  void (*apply)(Matcher&, const Node&);
};

constexpr Pattern kPatterns[] = {
    {"Erf", erf_gelu},           {"Tanh", tanh_gelu},           {"Sigmoid", swish},
    {"HardSigmoid", hard_swish}, {"Sqrt", layer_normalization}, {"Mul", batch_normalization},
    {"MatMul", scaled_product}};

}  // namespace

std::optional<double> scalar_of(const Graph& graph, ValueId v) {
  const Value& value = graph.value(v);
  if (!value.constant || value.constant->dtype != DType::f32 || value.constant->elements() != 1) return std::nullopt;
  return *value.constant->as<float>();
}

void recognize_patterns(Graph& graph) {
  {
    Matcher matcher(graph);
    matcher.order().each_node([&](NodeId id) {
      const Node& node = graph.nodes[size_t(id)];
      const auto pattern = std::find_if(std::begin(kPatterns), std::end(kPatterns), [&](const Pattern& p) {
        return node.op == p.op && node.domain.empty() && node.outputs[0] != kNoValue;
      });
      if (pattern == std::end(kPatterns) || graph.value(node.outputs[0]).type->dtype != DType::f32) return;
      pattern->apply(matcher, node);
    });
  }
  passes::eliminate_dead_code(graph);
}

}  // namespace cppgen::baseline
