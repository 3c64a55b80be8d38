#include <algorithm>

#include "cppgen/ops/axis_split.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/reindex.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;
using At = std::vector<IndexExpr>;

bool keeps_dims(InferContext& c) { return c.integer("keepdims", 1) != 0; }

bool lists_no_axes(InferContext& c) { return c.shape(1).size() == 1 && c.shape(1)[0].is_constant(0); }

bool has_run_time_axes(InferContext& c) { return !c.has("axes") && is_run_time(c, 1) && !lists_no_axes(c); }

bool same_shape(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), ir::prove_equal);
}

Shape shape_without(InferContext& c, const AxisSplit& axes) { return keeps_dims(c) ? axes.keep_dims() : axes.kept(); }

// Axes that only a run knows: all choices that turn the input's shape into the declared one.
std::vector<AxisSplit> declared_choices(InferContext& c) {
  constexpr size_t kMost = 16;
  const Shape& x = c.shape(0);
  Shape to = require_declared(c, 1, "the axes");
  int64_t count = element_count(c, 1), rank = int64_t(x.size());
  std::vector<AxisSplit> found;
  for (uint32_t mask = 0; rank <= 16 && mask < (1u << rank); ++mask) {
    std::vector<int> axes;
    for (int d = 0; d < int(rank); ++d)
      if (mask >> d & 1) axes.push_back(d);
    if (int64_t(axes.size()) != count) continue;
    AxisSplit split(x, axes);
    if (same_shape(shape_without(c, split), to)) found.push_back(split);
  }
  if (found.empty() || found.size() > kMost)
    c.fail(fmt::format("the axes (input 1) are known to a run only, and {} choices of them give the declared shape {}",
                       found.size(), to_string(to)));
  return found;
}

// No axes mean all of them, or none with noop_with_empty_axes.
AxisSplit known_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  std::vector<int64_t> axes;
  if (c.has("axes") || (c.has_input(1) && !lists_no_axes(c))) axes = *axes_argument(c, 1);
  if (axes.empty() && c.integer("noop_with_empty_axes", 0) == 0) return AxisSplit::from_axis(x, 0);
  return AxisSplit(x, normalized_axes(c, axes, int(x.size())));
}

bool takes_declared(InferContext& c) { return declared_shape(c, 0).has_value(); }

// Without a declared shape: what is kept of each dimension, a value that `resolve` gives; then, if the others are
// dropped, the dimensions that are left.
AxisSplit run_time_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  Shape kept, reduced;
  for (size_t d = 0; d < x.size(); ++d) {
    kept.push_back(c.resolved_symbol(d, "kept"));
    reduced.push_back(floordiv(x[d], ir::max(kept[d], 1)));
  }
  return AxisSplit::of_parts(kept, reduced);
}

Shape run_time_reduced_shape(InferContext& c) {
  const size_t rank = c.shape(0).size();
  const int64_t count = element_count(c, 1);
  if (count > int64_t(rank)) c.fail(fmt::format("{} axes for {} dimensions", count, rank));
  std::vector<IndexExpr> noted = run_time_axes(c).kept();
  Shape to = noted;
  if (!keeps_dims(c)) {
    to.clear();
    for (size_t k = 0; k < rank - size_t(count); ++k) to.push_back(c.resolved_symbol(rank + k, "dim"));
    noted.insert(noted.end(), to.begin(), to.end());
  }
  c.note_resolved(noted);
  return to;
}

void resolve_reduce(LowerContext& c, ir::BufferId dims) {
  const Shape& x = c.shape(0);
  const int64_t rank = int64_t(x.size()), count = element_count(c, 1);
  const Scalar zero = number(c, DType::i64, 0), one = number(c, DType::i64, 1);
  Scalar left = zero;
  std::vector<Scalar> values, rest(size_t(keeps_dims(c) ? 0 : rank - count), zero);
  for (int64_t d = 0; d < rank; ++d) {
    const Scalar extent = index_value(c, x[size_t(d)]), reduced = lists_axis(c, 1, d, rank);
    values.push_back(select(reduced, one, extent));
    for (size_t k = 0; k < rest.size(); ++k) rest[k] = select(!reduced && left == double(k), extent, rest[k]);
    left = left + select(reduced, zero, one);
  }
  values.insert(values.end(), rest.begin(), rest.end());
  for (Scalar& v : values) v = valid_or_refused(c, v, {left == double(rank - count)});
  emit_dims(c, dims, values);
}

template <DTypes allowed>
void infer_reduce(InferContext& c) {
  require_dtype(c, 0, allowed);
  if (has_run_time_axes(c) && !takes_declared(c)) return c.set_output(0, c.dtype(0), run_time_reduced_shape(c));
  c.set_output(0, c.dtype(0), shape_without(c, has_run_time_axes(c) ? declared_choices(c)[0] : known_axes(c)));
}

// Reduced dimensions are dropped by a copy: the elements keep their order.
void lower_run_time_axes(LowerContext& c, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower) {
  const AxisSplit axes = run_time_axes(c);
  if (keeps_dims(c)) return lower(axes, c.output_buffer(0));
  const ir::BufferId kept = c.temporary(c.output(0).dtype, axes.kept());
  lower(axes, kept);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) { return load(c, kept, reshaped_index(axes.kept(), c.output(0).shape, at)); }, "dropped");
}

// Calls `lower` for the axes. Where only a run knows them, for each choice with a result of its own, of which the run
// takes the one that its axes name.
void for_axes(LowerContext& c, const std::function<void(const AxisSplit&, ir::BufferId to)>& lower) {
  if (!has_run_time_axes(c)) return lower(known_axes(c), c.output_buffer(0));
  if (!takes_declared(c)) return lower_run_time_axes(c, lower);
  int64_t rank = int64_t(c.shape(0).size());
  std::vector<Scalar> named;
  std::vector<ir::BufferId> results;
  for (const AxisSplit& axes : declared_choices(c)) {
    results.push_back(c.temporary(c.output(0).dtype, c.output(0).shape));
    lower(axes, results.back());
    Scalar all = number(c, DType::boolean, 1);
    for (int d = 0; d < int(rank); ++d)
      if (axes.is_reduced(d)) all = all && lists_axis(c, 1, d, rank);
    named.push_back(all);
  }
  Scalar any = named[0];
  for (Scalar one : named) any = any || one;
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar value = load(c, results.back(), at);
        for (size_t k = results.size() - 1; k-- > 0;) value = select(named[k], load(c, results[k], at), value);
        return checked(c, value, {any});
      },
      "choice");
}

using Function = std::function<Scalar(Scalar)>;

using Finish = std::function<Scalar(Scalar, const AxisSplit&)>;

// output = finish(op of value(x)) over the reduced axes, stored with or without them.
void emit(LowerContext& c, ReduceOp op, const Function& value, const Finish& finish) {
  for_axes(c, [&](const AxisSplit& axes, ir::BufferId to) {
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

Scalar same(Scalar x) { return x; }
Scalar square(Scalar x) { return x * x; }

void lower_sum(LowerContext& c) { emit(c, ReduceOp::sum, same, same); }
void lower_prod(LowerContext& c) { emit(c, ReduceOp::prod, same, same); }
void lower_l1(LowerContext& c) {
  emit(
      c, ReduceOp::sum, [](Scalar x) { return is_unsigned_int(x.type()) ? x : abs(x); }, same);
}
void lower_sum_square(LowerContext& c) { emit(c, ReduceOp::sum, square, same); }

template <ReduceOp op>
void lower_extremum(LowerContext& c) {
  if (c.dtype(0) != DType::boolean) return emit(c, op, same, same);
  emit(c, op == ReduceOp::max ? ReduceOp::any : ReduceOp::all, same, same);
}

void lower_mean(LowerContext& c) {
  emit(c, ReduceOp::sum, same,
       Finish([&](Scalar sum, const AxisSplit& axes) { return sum / index_value(c, axes.count(), sum.type()); }));
}

// Integers take the detour through double.
Scalar in_float(Scalar x, Scalar (*function)(Scalar)) {
  return is_float(x.type()) ? function(x) : function(x.cast(DType::f64)).cast(x.type());
}

void lower_l2(LowerContext& c) {
  emit(c, ReduceOp::sum, square, [](Scalar sum) { return in_float(sum, [](Scalar x) { return sqrt(x); }); });
}

void lower_log_sum(LowerContext& c) {
  emit(c, ReduceOp::sum, same, [](Scalar sum) { return in_float(sum, [](Scalar x) { return log(x); }); });
}

// max + log(sum(exp(x - max))): exact where the plain form overflows. An infinite maximum is not subtracted.
void emit_log_sum_exp(LowerContext& c, const AxisSplit& axes, ir::BufferId to) {
  DType type = is_float(c.dtype(0)) ? ir::value_type(c.dtype(0)) : DType::f64;
  auto input = [&](const At& at) { return load_input(c, 0, at).cast(type); };
  ir::BufferId shift = reduce_axes(c, axes, "max", ReduceOp::max, type, input,
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
  for_axes(c, [&](const AxisSplit& axes, ir::BufferId to) { emit_log_sum_exp(c, axes, to); });
}

// --- ArgMax, ArgMin

AxisSplit arg_axis(InferContext& c) {
  require_rank(c, 0, 1, -1);
  return AxisSplit(c.shape(0), {normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size()))});
}

void infer_arg(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  AxisSplit axes = arg_axis(c);
  if (axes.reduced()[0].is_constant(0)) c.fail("the axis has no elements");
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
  nest.stores.push_back({c.output_buffer(0), to, c.exprs().accumulator(0, DType::i64), {}});
  c.emit(std::move(nest));
}

}  // namespace

void add_reduce_ops(std::vector<Op>& t) {
  constexpr Arity arity{1, 2, 1};
  add_versions(t, "ReduceSum", {1, 11, 13}, arity, infer_reduce<kNumbers>, lower_sum);
  add_versions(t, "ReduceMean", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_mean);
  add_versions(t, "ReduceProd", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_prod);
  add_versions(t, "ReduceMax", {1, 11, 12, 13, 18, 20}, arity, infer_reduce<kAll>, lower_extremum<ReduceOp::max>);
  add_versions(t, "ReduceMin", {1, 11, 12, 13, 18, 20}, arity, infer_reduce<kAll>, lower_extremum<ReduceOp::min>);
  add_versions(t, "ReduceL1", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_l1);
  add_versions(t, "ReduceL2", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_l2);
  add_versions(t, "ReduceSumSquare", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_sum_square);
  add_versions(t, "ReduceLogSum", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_log_sum);
  add_versions(t, "ReduceLogSumExp", {1, 11, 13, 18}, arity, infer_reduce<kNumbers>, lower_log_sum_exp);
  for (const char* name : {"ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                           "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"})
    set_resolve(t, name, resolve_reduce);
  add_versions(t, "ArgMax", {1, 11, 12, 13}, {1, 1, 1}, infer_arg, lower_arg<ReduceOp::argmax>);
  add_versions(t, "ArgMin", {1, 11, 12, 13}, {1, 1, 1}, infer_arg, lower_arg<ReduceOp::argmin>);
}

}  // namespace cppgen::ops
