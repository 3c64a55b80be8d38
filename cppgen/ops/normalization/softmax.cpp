#include "cppgen/ops/normalization/softmax.h"

#include <limits>

#include "cppgen/ops/shapes/reindex.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

// From version 13 on it is one axis; before, all dimensions from the axis on count as one.
AxisSplit softmax_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  int rank = int(x.size());
  if (c.opset() >= 13) return AxisSplit(x, {normalized_axis(c, c.integer("axis", -1), rank)});
  int64_t axis = c.integer("axis", 1);
  if (axis == rank) return AxisSplit(x, {});
  return AxisSplit::from_axis(x, normalized_axis(c, axis, rank));
}

void infer_softmax(InferContext& c) {
  require_dtype(c, 0, kFloats);
  softmax_axes(c);
  c.set_output(0, c.dtype(0), c.shape(0));
}

// A NaN need not pass: its own power is NaN, and so is the sum of the powers.
ir::BufferId emit_axis_max(LowerContext& c, const AxisSplit& axes, ir::BufferId x, DType type) {
  return reduce_axes(c, axes, "max", ReduceOp::max_number, type, [&](const At& at) { return load(c, x, at); });
}

void lower_softmax(LowerContext& c) {
  emit_softmax(c, softmax_axes(c), c.input_buffer(0), c.output_buffer(0), ir::value_type(c.dtype(0)));
}

void lower_log_softmax(LowerContext& c) { emit_log_softmax(c, softmax_axes(c), c.input_buffer(0), c.output_buffer(0)); }

// 1 at the first maximum, 0 elsewhere.
void lower_hardmax(LowerContext& c) {
  AxisSplit axes = softmax_axes(c);
  DType type = ir::value_type(c.dtype(0));
  ir::BufferId first = c.temporary(DType::i64, axes.kept());
  ir::LoopNest nest;
  nest.name = "first";
  nest.loops = c.loops(axes.kept());
  nest.reduced = c.loops(axes.reduced(), "r");
  At at = LowerContext::indices(nest.loops), inner = LowerContext::indices(nest.reduced);
  ir::Reduction best{ReduceOp::argmax, DType::i64, load_input(c, 0, axes.merge(at, inner))};
  best.position = linear_index(axes.reduced(), inner);
  nest.reductions.push_back(best);
  nest.stores.push_back({first, at, c.exprs().accumulator(0, DType::i64)});
  c.emit(std::move(nest));
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& out) {
        Scalar here = index_value(c, linear_index(axes.reduced(), axes.reduced_of(out)));
        return (here == load(c, first, axes.kept_of(out))).cast(type);
      },
      "select");
}

}  // namespace

// With `zeros` powers are taken against a finite number, and a sum of 0 becomes one that divides 0; the schedule knows
// this form (attention_match.cpp).
void emit_softmax(LowerContext& c, const AxisSplit& axes, ir::BufferId x, ir::BufferId out, DType type, bool zeros) {
  const Shape shape = c.program().buffer(x).shape;
  ir::BufferId greatest = emit_axis_max(c, axes, x, type), powers = c.temporary(type, shape);
  c.emit_pointwise(
      powers,
      [&](const At& at) {
        Scalar shift = load(c, greatest, axes.kept_of(at));
        Scalar below = load(c, x, at) - (zeros ? max(shift, double(std::numeric_limits<float>::lowest())) : shift);
        return type == DType::f32 ? exp_flushed(below) : exp(below);
      },
      "exp");
  ir::BufferId sum =
      reduce_axes(c, axes, "sum", ReduceOp::sum, type, [&](const At& at) { return load(c, powers, at); });
  // The sum is between 1 and the number of elements (or NaN), so its reciprocal is exact to half an ULP and is computed
  // once per row.
  c.emit_pointwise(
      out,
      [&](const At& at) {
        Scalar total = load(c, sum, axes.kept_of(at));
        return load(c, powers, at) * (1.0 / (zeros ? max(total, double(std::numeric_limits<float>::min())) : total));
      },
      "divide");
}

void emit_log_softmax(LowerContext& c, const AxisSplit& axes, ir::BufferId x, ir::BufferId out) {
  DType type = ir::value_type(c.program().buffer(x).type);
  ir::BufferId greatest = emit_axis_max(c, axes, x, type);
  auto shifted = [&](const At& at) { return load(c, x, at) - load(c, greatest, axes.kept_of(at)); };
  ir::BufferId sum = reduce_axes(c, axes, "sum", ReduceOp::sum, type, [&](const At& at) { return exp(shifted(at)); });
  c.emit_pointwise(
      out, [&](const At& at) { return shifted(at) - log(load(c, sum, axes.kept_of(at))); }, "subtract");
}

std::vector<Op> softmax_ops() {
  return {
      {.name = "Softmax",
       .versions = {{1, "axis:int"}, 11, 13},
       .inputs = 1,
       .infer = infer_softmax,
       .lower = lower_softmax},
      {.name = "LogSoftmax",
       .versions = {{1, "axis:int"}, 11, 13},
       .inputs = 1,
       .infer = infer_softmax,
       .lower = lower_log_softmax},
      {.name = "Hardmax",
       .versions = {{1, "axis:int"}, 11, 13},
       .inputs = 1,
       .infer = infer_softmax,
       .lower = lower_hardmax},
  };
}

}  // namespace cppgen::ops
