// CausalConvWithState: a convolution of each channel along time that sees the past only, which a state carries from
// call to call. Inputs x [batch, channels, length], weights [channels, 1, k], bias [channels], the last k - 1 elements
// before x [batch, channels, k - 1], 0 if absent.
#include "cppgen/ops/activations.h"
#include "cppgen/ops/attention/attention.h"

namespace cppgen::ops {
namespace {

enum CausalInput { kSignal, kChannelWeights, kChannelBias, kEarlier };

void infer_causal_conv(InferContext& c) {
  require_dtype(c, kSignal, kFloats);
  require_rank(c, kSignal, 3, 3);
  require_rank(c, kChannelWeights, 3, 3);
  const Shape x = c.shape(kSignal), weights = c.shape(kChannelWeights);
  require_equal(c, weights[0], x[1], "the channels of weights and input");
  require_equal(c, weights[1], 1, "the weights' second dimension and 1");
  const IndexExpr kept = weights[2] - 1;
  require_at_most(c, 1, weights[2], "the weights are empty");
  if (c.has_input(kChannelBias)) {
    require_rank(c, kChannelBias, 1, 1);
    require_equal(c, c.shape(kChannelBias)[0], x[1], "the numbers of biases and channels");
  }
  if (c.has_input(kEarlier)) {
    require_rank(c, kEarlier, 3, 3);
    const Shape wanted{x[0], x[1], kept};
    for (size_t d = 0; d < 3; d++) require_equal(c, c.shape(kEarlier)[d], wanted[d], "dimensions of the state");
  }
  for (int i : {kChannelWeights, kChannelBias, kEarlier})
    if (c.has_input(i)) require_same_dtype(c, kSignal, i);
  activation_attribute(c, "none", Activation::state);
  c.set_output(0, c.dtype(kSignal), x);
  c.set_output(1, c.dtype(kSignal), {x[0], x[1], kept});
}

// Element `position` of the state followed by x.
Scalar sequence_at(LowerContext& c, IndexExpr batch, IndexExpr channel, IndexExpr position) {
  const DType type = ir::value_type(c.dtype(kSignal));
  Scalar past = number(c, type, 0);
  if (c.has_input(kEarlier)) past = load_inside(c, c.input_buffer(kEarlier), {batch, channel, position}, past);
  const IndexExpr kept = c.shape(kChannelWeights)[2] - 1;
  return load_inside(c, c.input_buffer(kSignal), {batch, channel, position - kept}, past);
}

void lower_causal_conv(LowerContext& c) {
  const DType type = ir::value_type(c.dtype(kSignal));
  const Activation& activation = activation_attribute(c, "none", Activation::state);
  if (c.has_output(0)) {
    ir::LoopNest nest;
    nest.loops = c.loops(c.shape(kSignal));
    nest.reduced = c.loops({c.shape(kChannelWeights)[2]}, "k");
    const At at = LowerContext::indices(nest.loops);
    const IndexExpr k = nest.reduced[0].var;
    nest.reductions.push_back(
        {ir::ReduceOp::sum, type,
         sequence_at(c, at[0], at[1], at[2] + k) * load_input(c, kChannelWeights, {at[1], 0, k})});
    Scalar y = scalar(c, c.exprs().accumulator(0, type));
    if (c.has_input(kChannelBias)) y = y + load_input(c, kChannelBias, {at[1]});
    nest.stores.push_back({c.output_buffer(0), at, activation(c, y)});
    c.emit(std::move(nest));
  }
  if (!c.has_output(1)) return;
  const IndexExpr length = c.shape(kSignal)[2];
  c.emit_pointwise(
      c.output_buffer(1), [&](const At& at) { return sequence_at(c, at[0], at[1], at[2] + length); }, "state");
}

}  // namespace

std::vector<Op> causal_conv_ops() {
  return {
      {.name = "CausalConvWithState",
       .versions = {{27, "activation:string"}},
       .inputs = {2, 4},
       .outputs = 2,
       .infer = infer_causal_conv,
       .lower = lower_causal_conv},
  };
}

}  // namespace cppgen::ops
