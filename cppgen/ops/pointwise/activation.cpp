#include "cppgen/ops/pointwise/activation.h"

namespace cppgen::ops {
namespace {

// An activation is a function of one element and of float attributes.
using Function = Scalar (*)(LowerContext&, Scalar);

template <DTypes allowed>
void infer_same(InferContext& c) {
  require_dtype(c, 0, allowed);
  for (const char* name : {"alpha", "beta", "gamma", "lambd", "bias"}) c.number(name, 0);
  c.set_output(0, c.dtype(0), c.shape(0));
}

template <Function function>
void lower_activation(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return function(c, load_input(c, 0, at)); });
}

template <Function function, DTypes allowed = kFloats>
Op activation(const char* name, std::vector<Version> versions) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = 1,
          .infer = infer_same<allowed>,
          .lower = lower_activation<function>};
}

Scalar relu(LowerContext&, Scalar x) { return max(x, 0.0); }

Scalar leaky_relu(LowerContext& c, Scalar x) { return select(x < 0.0, x * c.number("alpha", 0.01f), x); }

Scalar elu(LowerContext& c, Scalar x) {
  // Up to version 5 the default was spelled the same; expm1 keeps small negative inputs exact.
  return select(x < 0.0, c.number("alpha", 1) * expm1(x), x);
}

Scalar selu(LowerContext& c, Scalar x) {
  bool old = c.opset() < 6;
  double alpha = c.number("alpha", old ? 1.6732f : 1.67326319217681884765625f);
  double gamma = c.number("gamma", old ? 1.0507f : 1.05070102214813232421875f);
  return gamma * select(x > 0.0, x, alpha * expm1(x));
}

Scalar celu(LowerContext& c, Scalar x) {
  double alpha = c.number("alpha", 1);
  return max(x, 0.0) + min(alpha * expm1(x / alpha), 0.0);
}

Scalar hard_sigmoid(LowerContext& c, Scalar x) {
  return max(min(c.number("alpha", 0.2f) * x + c.number("beta", 0.5f), 1.0), 0.0);
}

Scalar hard_swish(LowerContext&, Scalar x) { return x * max(min(x * double(1.0f / 6.0f) + 0.5, 1.0), 0.0); }

// log(1 + exp(x)) without overflow.
Scalar softplus(LowerContext&, Scalar x) { return max(x, 0.0) + log1p(exp(-abs(x))); }

Scalar softsign(LowerContext&, Scalar x) { return x / (1.0 + abs(x)); }

Scalar thresholded_relu(LowerContext& c, Scalar x) { return select(x > double(c.number("alpha", 1)), x, x.number(0)); }

// Integers are computed as floats, like the attributes, and truncated.
Scalar shrink(LowerContext& c, Scalar element) {
  double lambda = c.number("lambd", 0.5f), bias = c.number("bias", 0);
  Scalar x = is_float(element.type()) ? element : element.cast(DType::f32);
  return select(x < -lambda, x + bias, select(x > lambda, x - bias, x.number(0))).cast(element.type());
}

Scalar mish(LowerContext& c, Scalar x) { return x * tanh(softplus(c, x)); }

Scalar swish(LowerContext& c, Scalar x) { return x * sigmoid(c.number("alpha", 1) * x); }

Scalar gelu(LowerContext& c, Scalar x) { return gelu_of(x, c.text("approximate", "none") == "tanh"); }

void infer_gelu(InferContext& c) {
  std::string approximate = c.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    c.fail(fmt::format("attribute 'approximate' is '{}'; allowed are none, tanh", approximate));
  }
  infer_same<kFloats>(c);
}

// The gate and what it lets through.
void infer_swiglu(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  const Shape& x = c.shape(0);
  require_rank(c, 1, int(x.size()), int(x.size()));
  for (size_t d = 0; d < x.size(); ++d) require_equal(c, x[d], c.shape(1)[d], "dimensions of both inputs");
  c.number("alpha", 1);
  c.set_output(0, c.dtype(0), x);
}

void lower_swiglu(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0),
                   [&](const auto& at) { return swish(c, load_input(c, 0, at)) * load_input(c, 1, at); });
}

void infer_prelu(InferContext& c) {
  require_dtype(c, 0, kFloats | kSigned | kUnsigned);
  require_same_dtype(c, 0, 1);
  const Shape& x = c.shape(0);
  const Shape& slope = c.shape(1);
  bool per_channel = c.opset() < 7 && slope.size() == 1 && x.size() >= 2;
  if (!per_channel) require_broadcasts_to(c, 1, x);
  if (per_channel && !slope[0].is_constant(1)) require_equal(c, x[1], slope[0], "channels and slopes");
  c.set_output(0, c.dtype(0), x);
}

void lower_prelu(LowerContext& c) {
  // Up to version 6 a 1-D slope belongs to the channels, later it broadcasts from the right.
  const Shape& slope_shape = c.shape(1);
  bool per_channel = c.opset() < 7 && slope_shape.size() == 1 && c.shape(0).size() >= 2;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar x = load_input(c, 0, at);
    Scalar slope = per_channel ? load_input(c, 1, {slope_shape[0].is_constant(1) ? IndexExpr() : at[1]})
                               : scalar(c, c.load_broadcast(1, at));
    return select(x < 0.0, x * slope, x);
  });
}

}  // namespace

Scalar gelu_of(Scalar x, bool tanh_approximation) {
  if (tanh_approximation) return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  return 0.5 * x * (1.0 + erf(x * 0.7071067811865476));
}

std::vector<Op> activation_ops() {
  return {
      activation<relu, kFloats | kSigned>("Relu", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13, 14}),
      activation<leaky_relu>("LeakyRelu", {{1, "alpha:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 16}),
      activation<elu>("Elu", {{1, "alpha:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 22}),
      activation<selu>("Selu", {{1, "alpha:float consumed_inputs:ints gamma:float"}, {6, "-consumed_inputs"}, 22}),
      activation<celu>("Celu", {{12, "alpha:float"}, 28}),
      activation<hard_sigmoid>("HardSigmoid",
                               {{1, "alpha:float beta:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 22}),
      activation<hard_swish>("HardSwish", {14, 22}),
      activation<softplus>("Softplus", {1, 22}),
      activation<softsign>("Softsign", {1, 22}),
      activation<thresholded_relu>("ThresholdedRelu", {{1, "alpha:float"}, 10, 22}),
      activation<shrink, kNumbers>("Shrink", {{9, "bias:float lambd:float"}}),
      activation<mish>("Mish", {18, 22}),
      activation<swish>("Swish", {{24, "alpha:float"}}),
      {.name = "SwiGLU", .versions = {{28, "alpha:float"}}, .inputs = 2, .infer = infer_swiglu, .lower = lower_swiglu},
      {.name = "Gelu",
       .versions = {{20, "approximate:string"}},
       .inputs = 1,
       .infer = infer_gelu,
       .lower = lower_activation<gelu>},
      {.name = "PRelu",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 7, 9, 16},
       .inputs = 2,
       .infer = infer_prelu,
       .lower = lower_prelu},
  };
}

}  // namespace cppgen::ops
