// Normalisations of rows as ONNX Runtime's optimiser leaves them in files: of a sum (SkipLayerNormalization), of a sum
// of embeddings, and by the root of the mean square ("simplified").
#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {
namespace {

// The values that are normalised over the last dimensions, and the buffers of the results.
struct RowNorm {
  AxisSplit axes;
  std::function<Scalar(const At&)> value;
  bool simplified;   // no mean, no bias
  int scale, shift;  // inputs; shift may be absent
  double epsilon;
  int mean_output, deviation_output;  // -1: none
};

void emit_statistic(LowerContext& c, const AxisSplit& axes, int output, ir::BufferId from, const char* name) {
  if (output < 0 || !c.has_output(output)) return;
  DType type = ir::value_type(c.output(output).dtype);
  c.emit_pointwise(
      c.output_buffer(output), [&](const At& at) { return load(c, from, axes.kept_of(at)).cast(type); }, name);
}

// Mean of the squares as variance, without a mean, if simplified.
Moments row_moments(LowerContext& c, const RowNorm& n, DType type) {
  if (!n.simplified) return emit_moments(c, n.axes, type, n.value);
  auto squared = [&](const At& at) {
    Scalar x = n.value(at);
    return x * x;
  };
  return {-1, reduce_axes(c, n.axes, "mean_square", ir::ReduceOp::sum, type, squared,
                          [&](Scalar sum) { return sum / index_value(c, n.axes.count(), type); })};
}

void emit_row_norm(LowerContext& c, const RowNorm& n) {
  DType type = ir::value_type(c.dtype(n.scale)), result = ir::value_type(c.output(0).dtype);
  Moments m = row_moments(c, n, type);
  ir::BufferId inverse = c.temporary(type, n.axes.kept());
  c.emit_pointwise(
      inverse, [&](const At& at) { return 1.0 / sqrt(load(c, m.variance, at) + n.epsilon); }, "inverse_deviation");
  auto parameter = [&](int input, const At& at) { return scalar(c, c.load_broadcast(input, at)).cast(type); };
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        At row = n.axes.kept_of(at);
        Scalar x = n.value(at);
        if (m.mean >= 0) x = x - load(c, m.mean, row);
        Scalar y = x * load(c, inverse, row) * parameter(n.scale, at);
        return (n.shift >= 0 && c.has_input(n.shift) ? y + parameter(n.shift, at) : y).cast(result);
      },
      "scale");
  if (m.mean >= 0) emit_statistic(c, n.axes, n.mean_output, m.mean, "copy_mean");
  emit_statistic(c, n.axes, n.deviation_output, inverse, "copy_deviation");
}

AxisSplit last_axis(const Shape& x) { return AxisSplit::from_axis(x, int(x.size()) - 1); }

void require_row_parameter(InferContext& c, int input, IndexExpr length) {
  if (!c.has_input(input)) return;
  require_dtype(c, input, kFloats);
  require_rank(c, input, 1, 1);
  require_equal(c, c.shape(input)[0], length, "the length of a parameter and the last dimension");
}

// --- SimplifiedLayerNormalization: x, scale; y, 1 / root mean square

AxisSplit simplified_axes(InferContext& c) {
  return AxisSplit::from_axis(c.shape(0), normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size())));
}

void infer_simplified(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_dtype(c, 1, kFloats);
  require_broadcasts_to(c, 1, c.shape(0));
  c.number("epsilon", 1e-5f);
  c.set_output(0, c.dtype(1), c.shape(0));
  c.set_output(1, dtype_of_onnx(c, c.integer("stash_type", 1)), simplified_axes(c).keep_dims());
}

void lower_simplified(LowerContext& c) {
  DType type = ir::value_type(c.dtype(1));
  emit_row_norm(c, {simplified_axes(c), [&](const At& at) { return load_input(c, 0, at).cast(type); }, true, 1, -1,
                    c.number("epsilon", 1e-5f), -1, 1});
}

// --- SkipLayerNormalization: input, skip, gamma, beta, bias; y, mean, 1 / deviation, the sum. Simplified without beta.

template <bool simplified>
void infer_skip(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  require_rank(c, 0, 2, 3);
  require_broadcasts_to(c, 1, c.shape(0));
  const Shape& x = c.shape(0);
  for (int i = 2; i < c.input_count(); ++i) require_row_parameter(c, i, x.back());
  c.number("epsilon", 1e-12f);
  Shape kept = last_axis(x).keep_dims();
  c.set_output(0, c.dtype(0), x);
  c.set_output(1, DType::f32, kept);
  c.set_output(2, DType::f32, kept);
  c.set_output(3, c.dtype(0), x);
}

template <bool simplified>
void lower_skip(LowerContext& c) {
  constexpr int bias = simplified ? 3 : 4;
  DType type = ir::value_type(c.dtype(0));
  ir::BufferId sum = c.temporary(type, c.shape(0));
  c.emit_pointwise(
      sum,
      [&](const At& at) {
        Scalar x = load_input(c, 0, at) + scalar(c, c.load_broadcast(1, at));
        return c.has_input(bias) ? x + load_input(c, bias, {at.back()}) : x;
      },
      "sum");
  auto value = [&](const At& at) { return load(c, sum, at); };
  emit_row_norm(c, {last_axis(c.shape(0)), value, simplified, 2, simplified ? -1 : 3, c.number("epsilon", 1e-12f),
                    simplified ? -1 : 1, 2});
  if (c.has_output(3)) c.emit_pointwise(c.output_buffer(3), value, "copy_sum");
  if (simplified && c.has_output(1)) c.fail("the output 'mean' does not exist without a mean");
}

// --- EmbedLayerNormalization: word and segment ids [B, S]; tables of words, positions, segments; gamma, beta; mask
// [B, S]; position ids [B or 1, S]. Results: y [B, S, H], the number of unmasked words [B], the sum of embeddings.

enum { kWordIds, kSegmentIds, kWordTable, kPositionTable, kSegmentTable, kGamma, kBeta, kWordMask, kPositionIds };

void infer_embed(InferContext& c) {
  require_rank(c, kWordIds, 2, 2);
  const Shape ids = c.shape(kWordIds);
  for (int i : {int(kWordIds), int(kSegmentIds), int(kWordMask), int(kPositionIds)}) {
    if (!c.has_input(i)) continue;
    require_dtype(c, i, bit(DType::i32) | bit(DType::i64));
    require_rank(c, i, 2, 2);
    require_broadcasts_to(c, i, ids);
  }
  if (c.has_input(kSegmentIds) && !c.has_input(kSegmentTable)) c.fail("segment ids require a segment embedding table");
  for (int i : {int(kPositionTable), int(kGamma), int(kBeta)}) c.input(i);
  require_rank(c, kWordTable, 2, 2);
  const IndexExpr hidden = c.shape(kWordTable)[1];
  for (int i : {int(kWordTable), int(kPositionTable), int(kSegmentTable)}) {
    if (!c.has_input(i)) continue;
    require_dtype(c, i, kFloats);
    require_same_dtype(c, kWordTable, i);
    require_rank(c, i, 2, 2);
    require_equal(c, c.shape(i)[1], hidden, "the lengths of embeddings");
  }
  for (int i : {int(kGamma), int(kBeta)}) require_row_parameter(c, i, hidden);
  c.number("epsilon", 1e-12f);
  const DType type = c.dtype(kWordTable);
  c.set_output(0, type, {ids[0], ids[1], hidden});
  c.set_output(1, DType::i32, {ids[0]});
  c.set_output(2, type, {ids[0], ids[1], hidden});
}

Scalar id_at(LowerContext& c, int input, IndexExpr b, IndexExpr s) {
  return scalar(c, c.load_broadcast(input, {b, s}));
}

void lower_embed(LowerContext& c) {
  const Shape& to = c.output(0).shape;
  ir::BufferId sum = c.temporary(ir::value_type(c.dtype(kWordTable)), to);
  auto row = [&](int table, Scalar id, IndexExpr h) {
    return load_gathered(c, c.input_buffer(table), {IndexExpr(), h}, {{0, id}});
  };
  c.emit_pointwise(
      sum,
      [&](const At& at) {
        Scalar place = c.has_input(kPositionIds) ? id_at(c, kPositionIds, at[0], at[1]) : index_value(c, at[1]);
        Scalar x = row(kWordTable, id_at(c, kWordIds, at[0], at[1]), at[2]) + row(kPositionTable, place, at[2]);
        return c.has_input(kSegmentIds) ? x + row(kSegmentTable, id_at(c, kSegmentIds, at[0], at[1]), at[2]) : x;
      },
      "sum");
  auto value = [&](const At& at) { return load(c, sum, at); };
  emit_row_norm(c, {last_axis(to), value, false, kGamma, kBeta, c.number("epsilon", 1e-12f), -1, -1});
  if (c.has_output(2)) c.emit_pointwise(c.output_buffer(2), value, "copy_sum");
  if (!c.has_output(1)) return;
  emit_reduction(c, {"unmasked",
                     c.output_buffer(1),
                     {to[1]},
                     ir::ReduceOp::sum,
                     [&](const At& at, const At& s) {
                       if (!c.has_input(kWordMask)) return number(c, DType::i32, 0);
                       return (id_at(c, kWordMask, at[0], s[0]) == 1.0).cast(DType::i32);
                     },
                     nullptr});
}

}  // namespace

std::vector<Op> skip_normalization_ops() {
  return {
      // ONNX Runtime keeps this one in ONNX's own domain.
      {.name = "SimplifiedLayerNormalization",
       .versions = {{1, "axis:int epsilon:float stash_type:int"}},
       .inputs = 2,
       .outputs = 2,
       .infer = infer_simplified,
       .lower = lower_simplified},
      {.name = "SkipLayerNormalization",
       .domain = kMicrosoftDomain,
       .versions = {{1, "epsilon:float"}},
       .inputs = {3, 5},
       .outputs = 4,
       .infer = infer_skip<false>,
       .lower = lower_skip<false>},
      {.name = "SkipSimplifiedLayerNormalization",
       .domain = kMicrosoftDomain,
       .versions = {{1, "epsilon:float"}},
       .inputs = {3, 4},
       .outputs = 4,
       .infer = infer_skip<true>,
       .lower = lower_skip<true>},
      {.name = "EmbedLayerNormalization",
       .domain = kMicrosoftDomain,
       .versions = {{1, "epsilon:float mask_index_type:int"}},
       .inputs = {1, 9},
       .outputs = 3,
       .infer = infer_embed,
       .lower = lower_embed},
  };
}

}  // namespace cppgen::ops
