#include <algorithm>

#include "cppgen/ops/reductions/reduced_axes.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

template <DTypes allowed>
void infer_reduce(InferContext& c) {
  require_dtype(c, 0, allowed);
  c.set_output(0, c.dtype(0), reduced_shape(c));
}

using Function = std::function<Scalar(Scalar)>;

using Finish = std::function<Scalar(Scalar, const AxisSplit&)>;

// output = finish(op of value(x)) over the reduced axes, stored with or without them.
void emit(LowerContext& c, ReduceOp op, const Function& value, const Finish& finish) {
  for_reduced_axes(c, [&](const AxisSplit& axes, ir::BufferId to) {
    ReductionSpec spec{"",
                       to,
                       axes.reduced(),
                       op,
                       [&](const At& at, const At& inner) { return value(load_input(c, 0, axes.merge(at, inner))); },
                       [&](Scalar result) { return finish(result, axes); }};
    spec.loops = axes.kept();
    if (keeps_dims(c)) spec.store_at = [&](const At& at) { return axes.merge(at, At(axes.reduced().size())); };
    emit_reduction(c, spec);
  });
}

void emit(LowerContext& c, ReduceOp op, const Function& value, const Function& finish) {
  emit(c, op, value, Finish([&](Scalar result, const AxisSplit&) { return finish(result); }));
}

Scalar square(Scalar x) { return x * x; }

void lower_sum(LowerContext& c) { emit(c, ReduceOp::sum, unchanged, unchanged); }
void lower_prod(LowerContext& c) { emit(c, ReduceOp::prod, unchanged, unchanged); }
void lower_l1(LowerContext& c) {
  emit(
      c, ReduceOp::sum, [](Scalar x) { return is_unsigned_int(x.type()) ? x : abs(x); }, unchanged);
}
void lower_sum_square(LowerContext& c) { emit(c, ReduceOp::sum, square, unchanged); }

template <ReduceOp op>
void lower_extremum(LowerContext& c) {
  if (c.dtype(0) != DType::boolean) return emit(c, op, unchanged, unchanged);
  emit(c, op == ReduceOp::max ? ReduceOp::any : ReduceOp::all, unchanged, unchanged);
}

// The specification leaves the mean of nothing open; it is 0, as in ONNX Runtime.
void lower_mean(LowerContext& c) {
  emit(c, ReduceOp::sum, unchanged, Finish([&](Scalar sum, const AxisSplit& axes) {
         return sum / index_value(c, ir::max(axes.count(), 1), sum.type());
       }));
}

// Integers take the detour through double.
Scalar in_float(Scalar x, Scalar (*function)(Scalar)) {
  return is_float(x.type()) ? function(x) : function(x.cast(DType::f64)).cast(x.type());
}

void lower_l2(LowerContext& c) {
  emit(c, ReduceOp::sum, square, [](Scalar sum) { return in_float(sum, [](Scalar x) { return sqrt(x); }); });
}

void lower_log_sum(LowerContext& c) {
  emit(c, ReduceOp::sum, unchanged, [](Scalar sum) { return in_float(sum, [](Scalar x) { return log(x); }); });
}

// max + log(sum(exp(x - max))): exact where the plain form overflows. An infinite maximum is not subtracted. A NaN
// comes through the sum.
void emit_log_sum_exp(LowerContext& c, const AxisSplit& axes, ir::BufferId to) {
  DType type = is_float(c.dtype(0)) ? ir::value_type(c.dtype(0)) : DType::f64;
  auto input = [&](const At& at) { return load_input(c, 0, at).cast(type); };
  ir::BufferId shift = reduce_axes(c, axes, "max", ReduceOp::max_number, type, input,
                                   [&](Scalar m) { return select(is_inf(m), number(c, type, 0), m); });
  ir::BufferId sum = reduce_axes(c, axes, "sum", ReduceOp::sum, type,
                                 [&](const At& at) { return exp(input(at) - load(c, shift, axes.kept_of(at))); });
  bool keep = keeps_dims(c);
  DType result = ir::value_type(c.dtype(0));
  c.emit_pointwise(
      to,
      [&](const At& at) {
        At row = keep ? axes.kept_of(at) : at;
        return (load(c, shift, row) + log(load(c, sum, row))).cast(result);
      },
      "add");
}

void lower_log_sum_exp(LowerContext& c) {
  for_reduced_axes(c, [&](const AxisSplit& axes, ir::BufferId to) { emit_log_sum_exp(c, axes, to); });
}

// --- ArgMax, ArgMin

AxisSplit arg_axis(InferContext& c) {
  require_rank(c, 0, 1, -1);
  return AxisSplit(c.shape(0), {normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size()))});
}

void infer_arg(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  AxisSplit axes = arg_axis(c);
  require_at_most(c, 1, axes.reduced()[0], "the axis has no elements");
  c.integer("select_last_index", 0);
  c.set_output(0, DType::i64, keeps_dims(c) ? axes.keep_dims() : axes.kept());
}

template <ReduceOp op>
void lower_arg(LowerContext& c) {
  AxisSplit axes = arg_axis(c);
  ir::LoopNest nest;
  nest.loops = c.loops(axes.kept());
  nest.reduced = c.loops(axes.reduced(), "r");
  At at = LowerContext::indices(nest.loops), inner = LowerContext::indices(nest.reduced);
  ir::Reduction best{op, DType::i64, load_input(c, 0, axes.merge(at, inner))};
  best.position = inner[0];
  best.select_last = c.integer("select_last_index", 0) != 0;
  nest.reductions.push_back(best);
  At to = keeps_dims(c) ? axes.merge(at, {IndexExpr()}) : at;
  nest.stores.push_back({c.output_buffer(0), to, c.exprs().accumulator(0, DType::i64)});
  c.emit(std::move(nest));
}

}  // namespace

namespace {

template <DTypes allowed>
Op reduction(const char* name, std::vector<Version> versions, LowerFunction lower) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = {1, 2},
          .infer = infer_reduce<allowed>,
          .lower = lower,
          .resolve = resolve_reduced_axes};
}

}  // namespace

std::vector<Op> reduce_ops() {
  return {
      reduction<kNumbers>("ReduceSum", {{1, "axes:ints keepdims:int"}, 11, {13, "noop_with_empty_axes:int -axes"}},
                          lower_sum),
      reduction<kNumbers>("ReduceMean", {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_mean),
      reduction<kNumbers>("ReduceProd", {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_prod),
      reduction<kAll>("ReduceMax",
                      {{1, "axes:ints keepdims:int"}, 11, 12, 13, {18, "noop_with_empty_axes:int -axes"}, 20},
                      lower_extremum<ReduceOp::max>),
      reduction<kAll>("ReduceMin",
                      {{1, "axes:ints keepdims:int"}, 11, 12, 13, {18, "noop_with_empty_axes:int -axes"}, 20},
                      lower_extremum<ReduceOp::min>),
      reduction<kNumbers>("ReduceL1", {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_l1),
      reduction<kNumbers>("ReduceL2", {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_l2),
      reduction<kNumbers>("ReduceSumSquare",
                          {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_sum_square),
      reduction<kNumbers>("ReduceLogSum",
                          {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_log_sum),
      reduction<kNumbers>("ReduceLogSumExp",
                          {{1, "axes:ints keepdims:int"}, 11, 13, {18, "noop_with_empty_axes:int -axes"}},
                          lower_log_sum_exp),
      {.name = "ArgMax",
       .versions = {{1, "axis:int keepdims:int"}, 11, {12, "select_last_index:int"}, 13},
       .inputs = 1,
       .infer = infer_arg,
       .lower = lower_arg<ReduceOp::argmax>},
      {.name = "ArgMin",
       .versions = {{1, "axis:int keepdims:int"}, 11, {12, "select_last_index:int"}, 13},
       .inputs = 1,
       .infer = infer_arg,
       .lower = lower_arg<ReduceOp::argmin>},
  };
}

}  // namespace cppgen::ops
