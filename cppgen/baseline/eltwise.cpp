#include "cppgen/baseline/eltwise.h"

#include <cmath>
#include <limits>
#include <map>

#include "cppgen/baseline/patterns.h"
#include "cppgen/ops/activations.h"
#include "cppgen/passes/rewrite.h"

namespace cppgen::baseline {
namespace {

using dnnl::algorithm;

std::optional<Eltwise> gelu(const Node& node) {
  const bool tanh = passes::text_attribute(node, "approximate", "none") == "tanh";
  return Eltwise{tanh ? algorithm::eltwise_gelu_tanh : algorithm::eltwise_gelu_erf};
}

// A bound of Clip: an attribute in old versions, an input in new ones. nullopt if it is not constant.
std::optional<double> bound(const Graph& graph, const Node& node, const char* name, size_t input, double otherwise) {
  if (input < node.inputs.size() && node.inputs[input] != kNoValue) return scalar_of(graph, node.inputs[input]);
  return passes::float_attribute(node, name, float(otherwise));
}

std::optional<Eltwise> clip(const Graph& graph, const Node& node) {
  constexpr double kMost = std::numeric_limits<float>::max();
  const auto low = bound(graph, node, "min", 1, -kMost), high = bound(graph, node, "max", 2, kMost);
  if (!low || !high) return std::nullopt;
  return Eltwise{algorithm::eltwise_clip, float(*low), float(*high)};
}

// The parameters of an activation, in the node's attributes: oneDNN takes them in the same order.
void set_parameters(const Node& node, Eltwise& function) {
  const ops::Activation* activation = ops::find_activation(node.op, ops::Activation::pointwise, node.opset);
  if (!activation) return;
  float* const values[] = {&function.alpha, &function.beta};
  for (int p = 0; p < activation->parameter_count(); p++)
    *values[p] = passes::float_attribute(node, activation->parameters[p].attribute, activation->parameters[p].fallback);
}

std::optional<Eltwise> unary(const Graph& graph, const Node& node) {
  if (node.op == "Clip") return clip(graph, node);
  if (node.op == "Gelu") return gelu(node);
  static const std::map<std::string, Eltwise> functions{{"Relu", {algorithm::eltwise_relu}},
                                                        {"LeakyRelu", {algorithm::eltwise_relu}},
                                                        {"Elu", {algorithm::eltwise_elu}},
                                                        {"Sigmoid", {algorithm::eltwise_logistic}},
                                                        {"Tanh", {algorithm::eltwise_tanh}},
                                                        {"Abs", {algorithm::eltwise_abs}},
                                                        {"Sqrt", {algorithm::eltwise_sqrt}},
                                                        {"Exp", {algorithm::eltwise_exp}},
                                                        {"Log", {algorithm::eltwise_log}},
                                                        {"Round", {algorithm::eltwise_round}},
                                                        {"HardSwish", {algorithm::eltwise_hardswish, 1.0f / 6, 0.5f}},
                                                        {"Swish", {algorithm::eltwise_swish}},
                                                        {"QuickGelu", {algorithm::eltwise_swish}},
                                                        {"Softplus", {algorithm::eltwise_soft_relu, 1}},
                                                        {"Mish", {algorithm::eltwise_mish}},
                                                        {"Neg", {algorithm::eltwise_linear, -1}},
                                                        {"Reciprocal", {algorithm::eltwise_pow, 1, -1}}};
  const auto at = functions.find(node.op);
  if (at == functions.end()) return std::nullopt;
  Eltwise function = at->second;
  set_parameters(node, function);
  return function;
}

// x op c, or c op x if `reversed`.
std::optional<Eltwise> with_scalar(const Node& node, float c, bool reversed) {
  if (node.op == "Add") return Eltwise{algorithm::eltwise_linear, 1, c};
  if (node.op == "Sub")
    return reversed ? Eltwise{algorithm::eltwise_linear, -1, c} : Eltwise{algorithm::eltwise_linear, 1, -c};
  if (node.op == "Mul") return Eltwise{algorithm::eltwise_linear, c};
  if (node.op == "Div")
    return reversed ? Eltwise{algorithm::eltwise_pow, c, -1} : Eltwise{algorithm::eltwise_linear, 1 / c};
  if (node.op == "Pow" && !reversed)
    return c == 2 ? Eltwise{algorithm::eltwise_square} : Eltwise{algorithm::eltwise_pow, 1, c};
  return std::nullopt;
}

bool is_float(const Graph& graph, ValueId v) { return v != kNoValue && graph.value(v).type->dtype == DType::f32; }

}  // namespace

std::optional<Eltwise> eltwise_of(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.outputs.size() != 1 || !is_float(graph, node.outputs[0])) return std::nullopt;
  for (size_t other : {1, 0}) {
    if (node.inputs.size() != 2 || !is_float(graph, node.inputs[1 - other])) continue;
    const auto c = scalar_of(graph, node.inputs[other]);
    // The constant must not add dimensions.
    if (!c || graph.value(node.inputs[1 - other]).type->shape.size() != graph.value(node.outputs[0]).type->shape.size())
      continue;
    if (auto result = with_scalar(node, float(*c), other == 0)) {
      result->input = node.inputs[1 - other];
      return result;
    }
  }
  if (!is_float(graph, node.inputs[0])) return std::nullopt;
  auto result = unary(graph, node);
  if (result) result->input = node.inputs[0];
  return result;
}

bool confuses(const Eltwise& a, const Eltwise& b) {
  return a.algorithm == b.algorithm && (a.alpha != b.alpha || a.beta != b.beta);
}

std::optional<algorithm> binary_of(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.inputs.size() != 2 || !is_float(graph, node.inputs[0]) ||
      !is_float(graph, node.inputs[1]) || !is_float(graph, node.outputs[0]))
    return std::nullopt;
  static const std::map<std::string, algorithm> functions{
      {"Add", algorithm::binary_add}, {"Sub", algorithm::binary_sub}, {"Mul", algorithm::binary_mul},
      {"Div", algorithm::binary_div}, {"Max", algorithm::binary_max}, {"Min", algorithm::binary_min},
      {"Sum", algorithm::binary_add}};
  const auto at = functions.find(node.op);
  return at == functions.end() ? std::nullopt : std::optional(at->second);
}

bool is_commutative(algorithm a) { return a != algorithm::binary_sub && a != algorithm::binary_div; }

}  // namespace cppgen::baseline
