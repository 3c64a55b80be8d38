// CausalConvWithState: a convolution of each channel along time that sees the past only, which a state carries from
// call to call. Inputs x [batch, channels, length], weights [channels, 1, k], bias [channels], the last k - 1 elements
// before x [batch, channels, k - 1], 0 if absent.
#include "cppgen/ops/activations.h"
#include "cppgen/ops/attention/attention.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

enum Input { kX, kWeights, kBias, kPast };

const Activation& activation_of(InferContext& c) {
  const std::string name = c.text("activation", "none");
  if (const Activation* a = find_activation(name, Activation::state)) return *a;
  c.fail(fmt::format("attribute 'activation' is '{}'; allowed are {}", name, activation_names(Activation::state)));
}

void infer_causal_conv(InferContext& c) {
  require_dtype(c, kX, kFloats);
  require_rank(c, kX, 3, 3);
  require_rank(c, kWeights, 3, 3);
  const Shape x = c.shape(kX), weights = c.shape(kWeights);
  require_equal(c, weights[0], x[1], "the channels of weights and input");
  require_equal(c, weights[1], 1, "the weights' second dimension and 1");
  const IndexExpr kept = weights[2] - 1;
  if (weights[2].is_constant() && weights[2].constant() < 1) c.fail("the weights are empty");
  if (c.has_input(kBias)) {
    require_rank(c, kBias, 1, 1);
    require_equal(c, c.shape(kBias)[0], x[1], "the numbers of biases and channels");
  }
  if (c.has_input(kPast)) {
    require_rank(c, kPast, 3, 3);
    const Shape wanted{x[0], x[1], kept};
    for (size_t d = 0; d < 3; d++) require_equal(c, c.shape(kPast)[d], wanted[d], "dimensions of the state");
  }
  for (int i : {kWeights, kBias, kPast})
    if (c.has_input(i)) require_same_dtype(c, kX, i);
  activation_of(c);
  c.set_output(0, c.dtype(kX), x);
  c.set_output(1, c.dtype(kX), {x[0], x[1], kept});
}

// Element `position` of the state followed by x.
Scalar sequence_at(LowerContext& c, IndexExpr batch, IndexExpr channel, IndexExpr position) {
  const DType type = ir::value_type(c.dtype(kX));
  Scalar past = number(c, type, 0);
  if (c.has_input(kPast)) past = load_inside(c, c.input_buffer(kPast), {batch, channel, position}, past);
  const IndexExpr kept = c.shape(kWeights)[2] - 1;
  return load_inside(c, c.input_buffer(kX), {batch, channel, position - kept}, past);
}

void lower_causal_conv(LowerContext& c) {
  const DType type = ir::value_type(c.dtype(kX));
  const Activation& activation = activation_of(c);
  if (c.has_output(0)) {
    ir::LoopNest nest;
    nest.loops = c.loops(c.shape(kX));
    nest.reduced = c.loops({c.shape(kWeights)[2]}, "k");
    const At at = LowerContext::indices(nest.loops);
    const IndexExpr k = nest.reduced[0].var;
    nest.reductions.push_back(
        {ir::ReduceOp::sum, type, sequence_at(c, at[0], at[1], at[2] + k) * load_input(c, kWeights, {at[1], 0, k})});
    Scalar y = scalar(c, c.exprs().accumulator(0, type));
    if (c.has_input(kBias)) y = y + load_input(c, kBias, {at[1]});
    nest.stores.push_back({c.output_buffer(0), at, activation(c, y), {}});
    c.emit(std::move(nest));
  }
  if (!c.has_output(1)) return;
  const IndexExpr length = c.shape(kX)[2];
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
