// Activations as operators of their own.
#include "cppgen/ops/activations.h"

namespace cppgen::ops {
namespace {

// Gelu says in an attribute which of two it is.
const Activation& activation_of(InferContext& c) {
  const std::string& op = c.node().op;
  const bool fast = op == "Gelu" && c.text("approximate", "none") == "tanh";
  return *find_activation(fast ? "FastGelu" : op, Activation::pointwise, c.opset());
}

template <DTypes allowed>
void infer_activation(InferContext& c) {
  require_dtype(c, 0, allowed);
  for (const Activation::Parameter& p : activation_of(c).parameters)
    if (p.attribute) c.number(p.attribute, p.fallback);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_activation(LowerContext& c) {
  const Activation& a = activation_of(c);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return a(c, load_input(c, 0, at)); });
}

template <DTypes allowed = kFloats>
Op activation(const char* name, std::vector<Version> versions) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = 1,
          .infer = infer_activation<allowed>,
          .lower = lower_activation};
}

void infer_gelu(InferContext& c) {
  std::string approximate = c.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    c.fail(fmt::format("attribute 'approximate' is '{}'; allowed are none, tanh", approximate));
  }
  infer_activation<kFloats>(c);
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
  const Activation& a = activation_of(c);
  c.emit_pointwise(c.output_buffer(0),
                   [&](const auto& at) { return a(c, load_input(c, 0, at)) * load_input(c, 1, at); });
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

std::vector<Op> activation_ops() {
  return {
      activation<kFloats | kSigned>("Relu", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13, 14}),
      activation("LeakyRelu", {{1, "alpha:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 16}),
      activation("Elu", {{1, "alpha:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 22}),
      activation("Selu", {{1, "alpha:float consumed_inputs:ints gamma:float"}, {6, "-consumed_inputs"}, 22}),
      activation("Celu", {{12, "alpha:float"}, 28}),
      activation("HardSigmoid", {{1, "alpha:float beta:float consumed_inputs:ints"}, {6, "-consumed_inputs"}, 22}),
      activation("HardSwish", {14, 22}),
      activation("Softplus", {1, 22}),
      activation("Softsign", {1, 22}),
      activation("ThresholdedRelu", {{1, "alpha:float"}, 10, 22}),
      activation<kNumbers>("Shrink", {{9, "bias:float lambd:float"}}),
      activation("Mish", {18, 22}),
      activation("Swish", {{24, "alpha:float"}}),
      {.name = "SwiGLU", .versions = {{28, "alpha:float"}}, .inputs = 2, .infer = infer_swiglu, .lower = lower_swiglu},
      {.name = "Gelu",
       .versions = {{20, "approximate:string"}},
       .inputs = 1,
       .infer = infer_gelu,
       .lower = lower_activation},
      {.name = "PRelu",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 7, 9, 16},
       .inputs = 2,
       .infer = infer_prelu,
       .lower = lower_prelu},
  };
}

}  // namespace cppgen::ops
