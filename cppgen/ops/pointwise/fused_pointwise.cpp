// Operators of com.microsoft that fuse a bias into what follows: Gelu in its forms, softmax.
#include "cppgen/ops/activations.h"
#include "cppgen/ops/normalization/softmax.h"

namespace cppgen::ops {
namespace {

// Input 1, where there is one, is a bias of the last dimension.
void infer_biased(InferContext& c) {
  require_dtype(c, 0, kFloats);
  c.number("alpha", 0);
  c.set_output(0, c.dtype(0), c.shape(0));
  if (!c.has_input(1)) return;
  require_same_dtype(c, 0, 1);
  require_rank(c, 1, 1, 1);
  require_rank(c, 0, 1, -1);
  require_equal(c, c.shape(1)[0], c.shape(0).back(), "the length of the bias and the last dimension");
}

void lower_biased(LowerContext& c) {
  const Activation& a = *find_activation(c.node().op, Activation::pointwise);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar x = load_input(c, 0, at);
    return a(c, c.has_input(1) ? x + load_input(c, 1, {at.back()}) : x);
  });
}

AxisSplit bias_softmax_axes(InferContext& c) {
  return AxisSplit::from_axis(c.shape(0), normalized_axis(c, c.integer("axis", 1), int(c.shape(0).size())));
}

void infer_bias_softmax(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  require_broadcasts_to(c, 1, c.shape(0));
  bias_softmax_axes(c);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_bias_softmax(LowerContext& c) {
  DType type = ir::value_type(c.dtype(0));
  ir::BufferId sum = c.temporary(type, c.shape(0));
  c.emit_pointwise(
      sum, [&](const At& at) { return load_input(c, 0, at) + scalar(c, c.load_broadcast(1, at)); }, "bias");
  emit_softmax(c, bias_softmax_axes(c), sum, c.output_buffer(0), type);
}

}  // namespace

std::vector<Op> fused_pointwise_ops() {
  return {
      {.name = "Gelu",
       .domain = "com.microsoft",
       .versions = {1},
       .inputs = 1,
       .infer = infer_biased,
       .lower = lower_biased},
      {.name = "BiasGelu",
       .domain = "com.microsoft",
       .versions = {1},
       .inputs = 2,
       .infer = infer_biased,
       .lower = lower_biased},
      {.name = "FastGelu",
       .domain = "com.microsoft",
       .versions = {1},
       .inputs = {1, 2},
       .infer = infer_biased,
       .lower = lower_biased},
      {.name = "QuickGelu",
       .domain = "com.microsoft",
       .versions = {{1, "alpha:float"}},
       .inputs = 1,
       .infer = infer_biased,
       .lower = lower_biased},
      {.name = "BiasSoftmax",
       .domain = "com.microsoft",
       .versions = {{1, "axis:int is_inner_broadcast:int"}},
       .inputs = 2,
       .infer = infer_bias_softmax,
       .lower = lower_bias_softmax},
  };
}

}  // namespace cppgen::ops
