#include "cppgen/ops/activations.h"

#include <cmath>

#include "runtime/base/setting_values.h"

namespace cppgen::ops {
namespace {

constexpr float kInfinity = INFINITY;

Scalar identity(Scalar x, double, double) { return x; }
Scalar relu(Scalar x, double, double) { return max(x, 0.0); }
Scalar hyperbolic_tangent(Scalar x, double, double) { return tanh(x); }
Scalar logistic(Scalar x, double, double) { return sigmoid(x); }
Scalar leaky_relu(Scalar x, double alpha, double) { return select(x < 0.0, x * alpha, x); }
// expm1 keeps small negative inputs exact.
Scalar elu(Scalar x, double alpha, double) { return select(x < 0.0, alpha * expm1(x), x); }
Scalar selu(Scalar x, double alpha, double gamma) { return gamma * select(x > 0.0, x, alpha * expm1(x)); }
Scalar celu(Scalar x, double alpha, double) { return max(x, 0.0) + min(alpha * expm1(x / alpha), 0.0); }
Scalar softsign(Scalar x, double, double) { return x / (1.0 + abs(x)); }
// log(1 + exp(x)) without overflow.
Scalar softplus(Scalar x, double, double) { return max(x, 0.0) + log1p(exp(-abs(x))); }
Scalar thresholded_relu(Scalar x, double alpha, double) { return select(x > alpha, x, x.number(0)); }
Scalar hard_sigmoid(Scalar x, double alpha, double beta) { return max(min(alpha * x + beta, 1.0), 0.0); }
Scalar hard_swish(Scalar x, double, double) { return x * max(min(x * double(1.0f / 6.0f) + 0.5, 1.0), 0.0); }
Scalar clip(Scalar x, double least, double most) { return min(max(x, least), most); }
Scalar affine(Scalar x, double alpha, double beta) { return alpha * x + beta; }
Scalar scaled_tanh(Scalar x, double alpha, double beta) { return alpha * tanh(beta * x); }
Scalar mish(Scalar x, double, double) { return x * tanh(softplus(x, 0, 0)); }
Scalar swish(Scalar x, double alpha, double) { return x * sigmoid(alpha * x); }
Scalar silu(Scalar x, double, double) { return x * sigmoid(x); }
// x times the probability that a standard normal variable is below x; and the usual approximation of it.
Scalar gelu(Scalar x, double, double) { return 0.5 * x * (1.0 + erf(x * 0.7071067811865476)); }
Scalar gelu_by_tanh(Scalar x, double, double) {
  return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
// Integers are computed as floats, like the parameters, and truncated.
Scalar shrink(Scalar element, double lambda, double bias) {
  Scalar x = is_float(element.type()) ? element : element.cast(DType::f32);
  return select(x < -lambda, x + bias, select(x > lambda, x - bias, x.number(0))).cast(element.type());
}

constexpr unsigned kOne = Activation::pointwise, kGate = Activation::gate, kFused = Activation::fused,
                   kState = Activation::state, kEach = kOne | kGate | kFused;

// They are in the order in which messages list them.
constexpr Activation kActivations[] = {
    {"", 1, kFused, {}, identity},
    {"none", 1, kState, {}, identity},
    {"Relu", 1, kEach, {}, relu},
    {"Tanh", 1, kGate | kFused, {}, hyperbolic_tangent},
    {"Sigmoid", 1, kEach, {}, logistic},
    {"LeakyRelu", 1, kEach, {{"alpha", 0.01f}}, leaky_relu},
    {"Elu", 1, kEach, {{"alpha", 1}}, elu},
    {"Softsign", 1, kEach, {}, softsign},
    {"Softplus", 1, kEach, {}, softplus},
    {"ThresholdedRelu", 1, kEach, {{"alpha", 1}}, thresholded_relu},
    {"HardSigmoid", 1, kEach, {{"alpha", 0.2f}, {"beta", 0.5f}}, hard_sigmoid},
    {"Clip", 1, kFused, {{"min", -kInfinity}, {"max", kInfinity}}, clip},
    {"Affine", 1, kGate, {{"alpha", 1}, {"beta", 0}}, affine},
    {"ScaledTanh", 1, kGate, {{"alpha", 1}, {"beta", 1}}, scaled_tanh},
    {"Selu", 1, kOne, {{"alpha", 1.6732f}, {"gamma", 1.0507f}}, selu},
    {"Selu", 6, kOne, {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}, selu},
    {"Celu", 12, kOne, {{"alpha", 1}}, celu},
    {"HardSwish", 14, kOne, {}, hard_swish},
    {"Shrink", 9, kOne, {{"lambd", 0.5f}, {"bias", 0}}, shrink},
    {"Mish", 18, kOne, {}, mish},
    {"Swish", 24, kOne, {{"alpha", 1}}, swish, "SwiGLU"},
    {"silu", 1, kState, {}, silu, "swish"},
    {"Gelu", 1, kOne, {}, gelu, "BiasGelu"},
    {"FastGelu", 1, kOne, {}, gelu_by_tanh},
    {"QuickGelu", 1, kOne, {{"alpha", 1.702f}}, swish},
};

}  // namespace

Scalar Activation::operator()(InferContext& c, Scalar x) const {
  double values[2] = {0, 0};
  for (int p = 0; p < parameter_count(); p++) values[p] = c.number(parameters[p].attribute, parameters[p].fallback);
  return function(x, values[0], values[1]);
}

const Activation* find_activation(std::string_view name, unsigned users, int opset) {
  const bool any_case = users == Activation::gate;
  const auto same = [&](std::string_view known) {
    return known == name || (any_case && setting_values::upper(known) == setting_values::upper(name));
  };
  const Activation* found = nullptr;
  for (const Activation& a : kActivations)
    if ((same(a.name) || (!a.alias.empty() && same(a.alias))) && (a.users & users) && a.since <= opset) found = &a;
  return found;
}

std::string activation_names(unsigned users) {
  std::string names;
  for (const Activation& a : kActivations) {
    if (!(a.users & users)) continue;
    names += (names.empty() ? "" : ", ") + std::string(a.name);
    if (!a.alias.empty()) names += ", " + std::string(a.alias);
  }
  return names;
}

const Activation& activation_attribute(InferContext& c, const char* otherwise, unsigned users) {
  const std::string name = c.text("activation", otherwise);
  if (const Activation* a = find_activation(name, users)) return *a;
  c.fail_invalid(fmt::format("attribute 'activation' is '{}'; allowed are {}", name, activation_names(users)));
}

}  // namespace cppgen::ops
