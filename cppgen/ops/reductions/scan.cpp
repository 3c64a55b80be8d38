#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/library_calls.h"
#include "runtime/plan/calls/cumulative.h"

namespace cppgen::ops {
namespace {

// CumSum and CumProd.
struct Accumulation {
  ir::ReduceOp op;
  double neutral;
  const char* function;  // of the library
};
constexpr Accumulation kCumulativeSum{ir::ReduceOp::sum, 0, rt::kCumSum},
    kCumulativeProduct{ir::ReduceOp::prod, 1, rt::kCumProd};

int scan_axis(InferContext& c) {
  std::vector<int64_t> axis = c.constant_ints(1);
  return normalized_axis(c, axis.at(0), int(c.shape(0).size()));
}

void infer_cumulative(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  require_dtype(c, 1, bit(DType::i32) | bit(DType::i64));
  require_rank(c, 0, 1, -1);
  require_one_element(c, 1, "the axis");
  if (!is_run_time(c, 1)) scan_axis(c);
  c.set_output(0, c.dtype(0), c.shape(0));
}

// Every element accumulates the ones before it, so that points are independent.
void emit_along(LowerContext& c, const Accumulation& how, int axis, ir::BufferId result) {
  const IndexExpr extent = c.shape(0)[axis], skipped = c.integer("exclusive", 0) != 0 ? 1 : 0;
  const bool reverse = c.integer("reverse", 0) != 0;
  const Scalar neutral = number(c, ir::value_type(c.dtype(0)), how.neutral);
  emit_reduction(
      c, {"",
          result,
          {extent},
          how.op,
          [&](At at, const At& term) {
            IndexExpr distance = (reverse ? term[0] - at[axis] : at[axis] - term[0]) - skipped;
            at[axis] = term[0];
            return scalar(c, c.exprs().load(c.input_buffer(0), c.dtype(0), at, {{distance, 0, extent}}, neutral));
          },
          nullptr});
}

// The axis is known only at run time, which takes the result along this one.
void lower_along_any_axis(LowerContext& c, const Accumulation& how) {
  const int rank = int(c.shape(0).size());
  std::vector<ir::BufferId> along;
  for (int d = 0; d < rank; ++d) {
    along.push_back(c.temporary(ir::value_type(c.dtype(0)), c.shape(0)));
    emit_along(c, how, d, along.back());
  }
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar requested = integer_element(c, 1, 0);
    Scalar chosen = load(c, along[0], at);
    for (int d = 1; d < rank; ++d)
      chosen = select(requested == double(d) || requested == double(d - rank), load(c, along[size_t(d)], at), chosen);
    return checked(c, chosen, {requested >= double(-rank), requested < double(rank)});
  });
}

// A call that goes along once.
void emit_library_call(LowerContext& c, const Accumulation& how) {
  const DType type = computes_as_stored(c.dtype(0)) ? c.dtype(0) : DType::f32;
  const bool asks = is_run_time(c, 1);
  using Call = rt::CumulativeCall<IndexExpr>;
  const Call call{type, c.integer("exclusive", 0) != 0, c.integer("reverse", 0) != 0,
                  asks ? Call::kAxisOfRun : scan_axis(c), c.shape(0)};
  std::vector<ir::BufferId> inputs = {emit_as(c, c.input_buffer(0), type, "widened")};
  if (asks) {
    inputs.push_back(c.temporary(DType::i64, {}));
    c.emit_pointwise(
        inputs[1], [&](const At&) { return integer_element(c, 1, 0); }, "axis");
  }
  const ir::BufferId result = result_as(c, 0, type);
  c.emit(library_call(how.function, call, inputs, {result}));
  emit_result(c, result, 0);
}

template <const Accumulation& how>
void lower_cumulative(LowerContext& c) {
  if (c.uses_library()) return emit_library_call(c, how);
  if (is_run_time(c, 1)) return lower_along_any_axis(c, how);
  emit_along(c, how, scan_axis(c), c.output_buffer(0));
}

struct SequenceAxes {
  int batch, time;
};

SequenceAxes sequence_axes(InferContext& c) {
  require_rank(c, 0, 2, -1);
  int rank = int(c.shape(0).size());
  SequenceAxes a{normalized_axis(c, c.integer("batch_axis", 1), rank),
                 normalized_axis(c, c.integer("time_axis", 0), rank)};
  if (a.batch == a.time) c.fail("batch_axis and time_axis are the same");
  return a;
}

void infer_reverse_sequence(InferContext& c) {
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 1, 1, 1);
  require_equal(c, c.shape(1)[0], c.shape(0)[sequence_axes(c).batch], "lengths and the batch");
  c.set_output(0, c.dtype(0), c.shape(0));
}

void lower_reverse_sequence(LowerContext& c) {
  SequenceAxes axes = sequence_axes(c);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar length = load_input(c, 1, {at[axes.batch]}), time = index_value(c, at[axes.time]);
    Scalar source = select(time < length, length - 1.0 - time, time);
    return load_gathered(c, c.input_buffer(0), at, {{axes.time, source}});
  });
}

}  // namespace

std::vector<Op> scan_ops() {
  return {
      {.name = "CumSum",
       .versions = {{11, "exclusive:int reverse:int"}, 14},
       .inputs = 2,
       .infer = infer_cumulative,
       .lower = lower_cumulative<kCumulativeSum>},
      {.name = "CumProd",
       .versions = {{26, "exclusive:int reverse:int"}},
       .inputs = 2,
       .infer = infer_cumulative,
       .lower = lower_cumulative<kCumulativeProduct>},
      {.name = "ReverseSequence",
       .versions = {{10, "batch_axis:int time_axis:int"}},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_reverse_sequence,
       .lower = lower_reverse_sequence},
  };
}

}  // namespace cppgen::ops
