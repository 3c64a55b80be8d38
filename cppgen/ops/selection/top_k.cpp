// TopK. Its meaning is a rank for each element and a search for the element of each rank; the library does the same
// faster.
#include "cppgen/ops/declared.h"
#include "cppgen/ops/library_calls.h"
#include "cppgen/ops/selection/selection.h"
#include "runtime/plan/calls/topk.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

int top_axis(InferContext& c) {
  require_rank(c, 0, 1, -1);
  return normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size()));
}

IndexExpr top_count(InferContext& c) {
  if (c.opset() < 10) return c.integer("k");
  require_dtype(c, 1, bit(DType::i64));
  require_one_element(c, 1, "k");
  if (const auto* known = c.contents(1)) return known->at(0);
  PartialShape partial(c.shape(0).begin(), c.shape(0).end());
  partial[size_t(top_axis(c))] = std::nullopt;
  Shape to = require_declared(c, 1, "k", partial);
  require_rank(c, 0, int(to.size()), int(to.size()));
  return to[size_t(top_axis(c))];
}

void infer_top_k(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  const int axis = top_axis(c);
  Shape to = c.shape(0);
  const IndexExpr k = top_count(c), n = to[axis];
  Shape others = to;
  others.erase(others.begin() + axis);
  const bool known = k.is_constant() && n.is_constant() && !is_zero_sized(others);
  if (k.range().hi < 0 || (known && (k.constant() < 0 || k.constant() > n.constant())))
    c.fail(fmt::format("k is {}, but there are {} elements", ir::to_string(k), ir::to_string(n)));
  to[axis] = k;
  c.set_output(0, c.dtype(0), to);
  c.set_output(1, DType::i64, to);
}

void resolve_top_k(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  Scalar& along = result[size_t(top_axis(c))];
  const Scalar k = integer_element(c, 1, 0);
  along = valid_or_refused(c, k, {k <= along});
  emit_dims(c, dims, result);
}

// Returns whether a comes before b: NaN counts as greatest, equal ones by position.
Scalar comes_before(Scalar a, Scalar b, Scalar a_position, Scalar b_position, bool largest) {
  Scalar greater = a > b, equal = a == b;
  if (is_float(a.type())) {
    greater = (greater && !is_nan(b)) || (is_nan(a) && !is_nan(b));
    equal = equal || (is_nan(a) && is_nan(b));
  }
  return (largest ? greater : !greater && !equal) || (equal && a_position < b_position);
}

// rank[at]: how many elements of the same row come before.
ir::BufferId emit_ranks(LowerContext& c, int axis) {
  const bool largest = c.opset() < 11 || c.integer("largest", 1) != 0;
  ir::BufferId ranks = c.temporary(DType::i64, c.shape(0));
  emit_reduction(c, {"ranks",
                     ranks,
                     {c.shape(0)[axis]},
                     ReduceOp::sum,
                     [&](const At& at, const At& other) {
                       At from = at;
                       from[axis] = other[0];
                       return one_if(c, comes_before(load_input(c, 0, from), load_input(c, 0, at),
                                                     index_value(c, other[0]), index_value(c, at[axis]), largest));
                     },
                     nullptr});
  return ranks;
}

// The conditions on a k that is known only at run time.
std::vector<Scalar> allowed_count(LowerContext& c, int axis) {
  std::vector<Scalar> conditions;
  const IndexExpr k = c.output(0).shape[size_t(axis)], n = c.shape(0)[size_t(axis)];
  if (c.opset() >= 10 && is_run_time(c, 1)) conditions.push_back(integer_element(c, 1, 0) == index_value(c, k));
  if (!ir::prove_less_equal(k, n)) conditions.push_back(index_value(c, k) <= index_value(c, n));
  return conditions;
}

// The library checks that k is at most n.
void emit_top_k_call(LowerContext& c, int axis) {
  const Shape& to = c.output(0).shape;
  const AxisExtents extents = extents_along(c.shape(0), axis);
  const bool checks = c.opset() >= 10 && is_run_time(c, 1) && !is_resolved(c);
  const bool largest = c.opset() < 11 || c.integer("largest", 1) != 0;
  const ir::BufferId values = checks ? c.temporary(c.dtype(0), to) : c.output_buffer(0);
  const ir::BufferId indices = c.has_output(1) ? c.output_buffer(1) : c.temporary(DType::i64, to);
  const rt::TopKCall<IndexExpr> call{c.dtype(0),    extents.outer,    extents.count,
                                     extents.inner, to[size_t(axis)], largest};
  c.emit(library_call(rt::kTopK, call, {c.input_buffer(0)}, {values, indices}));
  if (!checks) return;
  const std::vector<Scalar> conditions = allowed_count(c, axis);
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return checked(c, load(c, values, at), conditions); }, "checked");
}

void lower_top_k(LowerContext& c) {
  const int axis = top_axis(c);
  if (c.uses_library()) return emit_top_k_call(c, axis);
  const Shape& to = c.output(0).shape;
  ir::BufferId ranks = emit_ranks(c, axis), sources = c.temporary(DType::i64, to);
  emit_reduction(c, {"search",
                     sources,
                     {c.shape(0)[axis]},
                     ReduceOp::sum,
                     [&](const At& at, const At& other) {
                       At from = at;
                       from[axis] = other[0];
                       Scalar found = load(c, ranks, from) == index_value(c, at[axis]), zero = number(c, DType::i64, 0);
                       return select(found, index_value(c, other[0]), zero);
                     },
                     nullptr});
  const std::vector<Scalar> conditions = allowed_count(c, axis);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    return checked(c, load_gathered(c, c.input_buffer(0), at, {{axis, load(c, sources, at)}}), conditions);
  });
  if (c.has_output(1))
    c.emit_pointwise(
        c.output_buffer(1), [&](const At& at) { return load(c, sources, at); }, "indices");
}

}  // namespace

std::vector<Op> top_k_ops() {
  return {
      {.name = "TopK",
       .versions = {{1, "axis:int k:int"}, {10, "-k"}, {11, "largest:int sorted:int"}, 24},
       .inputs = {1, 2},
       .outputs = 2,
       .infer = infer_top_k,
       .lower = lower_top_k,
       .resolve = resolve_top_k},
  };
}

}  // namespace cppgen::ops
