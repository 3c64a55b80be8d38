// LinearAttention: an attention without a softmax, whose keys and values are summed into a matrix for each head, step
// by step. S is that matrix, [features of keys, features of values]; with decay g and rate b, where the rule has them:
//   S = exp(g) S;  u = v, or b (v - S^T k) by the delta rules;  S = S + k u^T;  y = scale S^T q
// Inputs query [batch, time, heads * head_size], key and value likewise with the heads of the keys, S before the first
// step [batch, heads of keys, head_size, columns], decay for each head or each of its features, rate for each head or
// all.
#include <cmath>

#include "cppgen/ops/attention/attention.h"
#include "cppgen/ops/choice.h"

namespace cppgen::ops {
namespace {

constexpr int kPastState = 3, kDecay = 4, kRate = 5;

struct LinearSizes {
  IndexExpr batch, steps;
  int64_t key_heads, group, head_size, columns;
  bool decays = false, corrects = false;  // by the rule
  bool decays_by_feature = false;         // else by head
};

int64_t per_head(InferContext& c, int input, int64_t heads) {
  const int64_t all = constant_dim(c, c.shape(input)[2], "the features of all heads");
  if (heads < 1 || all % heads != 0)
    c.fail(fmt::format("the features of input {} are not divided among {} heads", input, heads));
  return all / heads;
}

struct Rule {
  bool decays, corrects;
};

void read_rule(InferContext& c, LinearSizes& s) {
  const auto [decays, corrects] = choice<Rule>(c, "update_rule", "gated_delta",
                                               {{"linear", {.decays = false, .corrects = false}},
                                                {"gated", {.decays = true, .corrects = false}},
                                                {"delta", {.decays = false, .corrects = true}},
                                                {"gated_delta", {.decays = true, .corrects = true}}});
  if (decays && !c.has_input(kDecay)) c.fail("the update_rule requires the input decay");
  if (corrects && !c.has_input(kRate)) c.fail("the update_rule requires the input beta");
  s.decays = decays, s.corrects = corrects;
}

LinearSizes linear_sizes(InferContext& c) {
  for (int i : {kQuery, kKey, kValue, kDecay, kRate})
    if (c.has_input(i)) require_rank(c, i, 3, 3);
  LinearSizes s;
  read_rule(c, s);
  const int64_t heads = c.integer("q_num_heads");
  s.key_heads = c.integer("kv_num_heads");
  if (s.key_heads < 1 || heads < 1 || heads % s.key_heads != 0) c.fail("q_num_heads is not a multiple of kv_num_heads");
  s.group = heads / s.key_heads;
  s.batch = c.shape(kQuery)[0], s.steps = c.shape(kQuery)[1];
  s.head_size = per_head(c, kQuery, heads), s.columns = per_head(c, kValue, s.key_heads);
  if (per_head(c, kKey, s.key_heads) != s.head_size) c.fail("the features of a head of query and key differ");
  for (int i : {kKey, kValue, kDecay, kRate}) {
    if (!c.has_input(i)) continue;
    require_equal(c, c.shape(i)[0], s.batch, "the batches");
    require_equal(c, c.shape(i)[1], s.steps, "the numbers of steps");
  }
  if (s.decays) {
    const int64_t features = per_head(c, kDecay, s.key_heads);
    if (features != 1 && features != s.head_size)
      c.fail("decay has neither one value per head nor one per feature of the keys");
    s.decays_by_feature = features != 1;
  }
  if (s.corrects && !broadcasts_to(c, c.shape(kRate)[2], s.key_heads))
    require_equal(c, c.shape(kRate)[2], s.key_heads, "beta's rates and the heads");
  return s;
}

Shape linear_state_shape(const LinearSizes& s) { return {s.batch, s.key_heads, s.head_size, s.columns}; }

void infer_linear_attention(InferContext& c) {
  require_dtype(c, kQuery, kFloats);
  for (int i : {kKey, kValue, kDecay, kRate})
    if (c.has_input(i)) require_same_dtype(c, kQuery, i);
  const LinearSizes s = linear_sizes(c);
  if (c.has_input(kPastState)) {
    require_dtype(c, kPastState, kFloats);
    require_rank(c, kPastState, 4, 4);
    for (size_t d = 0; d < 4; d++)
      require_equal(c, c.shape(kPastState)[d], linear_state_shape(s)[d], "dimensions of the state");
  }
  c.number("scale", 0);
  c.set_output(0, c.dtype(kQuery), {s.batch, s.steps, s.key_heads * s.group * s.columns});
  c.set_output(1, c.has_input(kPastState) ? c.dtype(kPastState) : c.dtype(kQuery), linear_state_shape(s));
}

// One step; `state` is S of [batch, head, head_size, columns].
class StateStep {
 public:
  StateStep(LowerContext& c, const LinearSizes& s, const ir::Carried& state, IndexExpr time)
      : c_(c), s_(s), state_(state), time_(time), type_(ir::value_type(c.dtype(kQuery))) {}

  void emit(double scale) {
    if (s_.corrects) emit_recalled();
    c_.emit_pointwise(
        state_.after, [&](const At& at) { return decayed(at) + key(at[0], at[1], at[2]) * update(at); }, "update");
    emit_output(scale);
  }

 private:
  Scalar key(IndexExpr b, IndexExpr h, IndexExpr i) const {
    return load_input(c_, kKey, {b, time_, h * s_.head_size + i});
  }

  Scalar decayed(const At& at) const {
    const Scalar s = load(c_, state_.before, at);
    if (!s_.decays) return s;
    const IndexExpr feature = s_.decays_by_feature ? at[1] * s_.head_size + at[2] : at[1];
    return exp(load_input(c_, kDecay, {at[0], time_, feature})) * s;
  }

  // The state's value for this step's key, [batch, head, columns].
  void emit_recalled() {
    recalled_ = c_.temporary(type_, {s_.batch, s_.key_heads, s_.columns});
    emit_reduction(c_, {"recall",
                        recalled_,
                        {s_.head_size},
                        ir::ReduceOp::sum,
                        [&](const At& at, const At& i) {
                          return decayed({at[0], at[1], i[0], at[2]}) * key(at[0], at[1], i[0]);
                        },
                        nullptr});
  }

  Scalar update(const At& at) const {
    const Scalar value = load_input(c_, kValue, {at[0], time_, at[1] * s_.columns + at[3]});
    if (!s_.corrects) return value;
    const Scalar rate = load_input(c_, kRate, {at[0], time_, broadcast_index(at[1], c_.shape(kRate)[2])});
    return rate * (value - load(c_, recalled_, {at[0], at[1], at[3]}));
  }

  void emit_output(double scale) {
    if (!c_.has_output(0)) return;
    ir::LoopNest nest;
    nest.name = "output";
    nest.loops = c_.loops({s_.batch, s_.key_heads, s_.group, s_.columns});
    nest.reduced = c_.loops({s_.head_size}, "k");
    const At at = LowerContext::indices(nest.loops);
    const IndexExpr k = nest.reduced[0].var, head = at[1] * s_.group + at[2];
    nest.reductions.push_back({ir::ReduceOp::sum, type_,
                               load_input(c_, kQuery, {at[0], time_, head * s_.head_size + k}) *
                                   load(c_, state_.after, {at[0], at[1], k, at[3]})});
    nest.stores.push_back({c_.output_buffer(0),
                           {at[0], time_, head * s_.columns + at[3]},
                           scalar(c_, c_.exprs().accumulator(0, type_)) * scale});
    c_.emit(std::move(nest));
  }

  LowerContext& c_;
  const LinearSizes& s_;
  const ir::Carried& state_;
  const IndexExpr time_;
  const DType type_;
  ir::BufferId recalled_ = -1;
};

void lower_linear_attention(LowerContext& c) {
  const LinearSizes s = linear_sizes(c);
  const DType type = ir::value_type(c.dtype(kQuery));
  const Shape shape = linear_state_shape(s);
  const ir::Carried state{c.temporary(type, shape), c.temporary(type, shape), c.temporary(type, shape)};
  c.emit_pointwise(
      state.initial,
      [&](const At& at) {
        return c.has_input(kPastState) ? load_input(c, kPastState, at).cast(type) : number(c, type, 0);
      },
      "initial");
  double scale = c.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(double(std::max<int64_t>(s.head_size, 1)));
  ir::Repetition repetition;
  repetition.step = c.index().step_symbol(s.steps), repetition.steps = s.steps;
  repetition.carried = {state};
  const IndexExpr time = repetition.step;
  c.repeat(std::move(repetition), [&] { StateStep(c, s, state, time).emit(scale); });
  if (!c.has_output(1)) return;
  const DType kept = ir::value_type(c.output(1).dtype);
  c.emit_pointwise(
      c.output_buffer(1),
      [&](const At& at) {
        Scalar last = load(c, state.after, at);
        if (s.steps.range().lo < 1) last = select(index_value(c, s.steps) > 0.0, last, load(c, state.initial, at));
        return last.cast(kept);
      },
      "last");
}

}  // namespace

std::vector<Op> linear_attention_ops() {
  return {
      {.name = "LinearAttention",
       .versions = {{27, "chunk_size:int kv_num_heads:int q_num_heads:int scale:float update_rule:string"}},
       .inputs = {3, 6},
       .outputs = 2,
       .infer = infer_linear_attention,
       .lower = lower_linear_attention},
  };
}

}  // namespace cppgen::ops
