#include "cppgen/ops/axis_split.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;
using At = std::vector<IndexExpr>;

bool keeps_dims(InferContext& c) { return c.integer("keepdims", 1) != 0; }

// The axes that turn the input's shape into the declared one, for axes that only a run knows. Fails unless they are the
// only ones (where an extent is 1 already it makes no difference).
std::vector<int> declared_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  Shape to = require_declared(c, 1, "the axes");
  int rank = int(x.size());
  std::vector<int> found;
  int solutions = 0;
  for (uint32_t mask = 0; rank <= 16 && mask < (1u << rank); ++mask) {
    Shape result;
    std::vector<int> axes;
    for (int d = 0; d < rank; ++d) {
      if (mask >> d & 1) axes.push_back(d);
      if (!(mask >> d & 1))
        result.push_back(x[d]);
      else if (keeps_dims(c))
        result.push_back(1);
    }
    bool same = int64_t(axes.size()) == element_count(c, 1) && result.size() == to.size();
    for (size_t d = 0; same && d < to.size(); ++d) same = ir::prove_equal(result[d], to[d]);
    if (same) solutions++, found = axes;
  }
  if (solutions != 1)
    c.fail(fmt::format("the axes (input 1) are known to a run only, and {} choices of them give the declared shape {}",
                       solutions, to_string(to)));
  return found;
}

// No axes mean all of them, or none with noop_with_empty_axes.
AxisSplit reduced_axes(InferContext& c) {
  const Shape& x = c.shape(0);
  if (!c.has("axes") && is_run_time(c, 1)) return AxisSplit(x, declared_axes(c));
  std::vector<int64_t> axes = axes_argument(c, 1).value_or(std::vector<int64_t>{});
  if (axes.empty() && c.integer("noop_with_empty_axes", 0) == 0) return AxisSplit::from_axis(x, 0);
  return AxisSplit(x, normalized_axes(c, axes, int(x.size())));
}

template <DTypes allowed>
void infer_reduce(InferContext& c) {
  require_dtype(c, 0, allowed);
  AxisSplit axes = reduced_axes(c);
  c.set_output(0, c.dtype(0), keeps_dims(c) ? axes.keep_dims() : axes.kept());
}

using Function = std::function<Scalar(Scalar)>;

// output = finish(op of value(x)) over the reduced axes, stored with or without them.
void emit(LowerContext& c, const std::string& name, ReduceOp op, const Function& value, const Function& finish) {
  AxisSplit axes = reduced_axes(c);
  std::vector<Scalar> conditions;
  if (!c.has("axes") && is_run_time(c, 1))
    for (int d : declared_axes(c)) conditions.push_back(lists_axis(c, 1, d, int64_t(c.shape(0).size())));
  ReductionSpec spec{name,
                     c.output_buffer(0),
                     axes.reduced(),
                     op,
                     [&](const At& at, const At& inner) { return value(load_input(c, 0, axes.merge(at, inner))); },
                     [&](Scalar result) { return checked(c, finish(result), conditions); }};
  spec.loops = axes.kept();
  if (keeps_dims(c)) spec.store_at = [&](const At& at) { return axes.merge(at, At(axes.reduced().size())); };
  emit_reduction(c, spec);
}

Scalar same(Scalar x) { return x; }
Scalar square(Scalar x) { return x * x; }

void lower_sum(LowerContext& c) { emit(c, "", ReduceOp::sum, same, same); }
void lower_prod(LowerContext& c) { emit(c, "", ReduceOp::prod, same, same); }
void lower_l1(LowerContext& c) {
  emit(
      c, "", ReduceOp::sum, [](Scalar x) { return is_unsigned_int(x.type()) ? x : abs(x); }, same);
}
void lower_sum_square(LowerContext& c) { emit(c, "", ReduceOp::sum, square, same); }

template <ReduceOp op>
void lower_extremum(LowerContext& c) {
  if (c.dtype(0) != DType::boolean) return emit(c, "", op, same, same);
  emit(c, "", op == ReduceOp::max ? ReduceOp::any : ReduceOp::all, same, same);
}

void lower_mean(LowerContext& c) {
  IndexExpr count = reduced_axes(c).count();
  emit(c, "", ReduceOp::sum, same, [&](Scalar sum) { return sum / index_value(c, count, sum.type()); });
}

// Integers take the detour through double.
Scalar in_float(Scalar x, Scalar (*function)(Scalar)) {
  return is_float(x.type()) ? function(x) : function(x.cast(DType::f64)).cast(x.type());
}

void lower_l2(LowerContext& c) {
  emit(c, "", ReduceOp::sum, square, [](Scalar sum) { return in_float(sum, [](Scalar x) { return sqrt(x); }); });
}

void lower_log_sum(LowerContext& c) {
  emit(c, "", ReduceOp::sum, same, [](Scalar sum) { return in_float(sum, [](Scalar x) { return log(x); }); });
}

// max + log(sum(exp(x - max))): exact where the plain form overflows. An infinite maximum is not subtracted.
void lower_log_sum_exp(LowerContext& c) {
  AxisSplit axes = reduced_axes(c);
  DType type = is_float(c.dtype(0)) ? ir::value_type(c.dtype(0)) : DType::f64;
  auto input = [&](const At& at) { return load_input(c, 0, at).cast(type); };
  ir::BufferId shift = reduce_axes(c, axes, "max", ReduceOp::max, type, input,
                                   [&](Scalar m) { return select(is_inf(m), number(c, type, 0), m); });
  ir::BufferId sum = reduce_axes(c, axes, "sum", ReduceOp::sum, type,
                                 [&](const At& at) { return exp(input(at) - load(c, shift, axes.kept_of(at))); });
  bool keep = keeps_dims(c);
  DType result = ir::value_type(c.dtype(0));
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        At row = keep ? axes.kept_of(at) : at;
        return (load(c, shift, row) + log(load(c, sum, row))).cast(result);
      },
      "add");
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
  add_versions(t, "ArgMax", {1, 11, 12, 13}, {1, 1, 1}, infer_arg, lower_arg<ReduceOp::argmax>);
  add_versions(t, "ArgMin", {1, 11, 12, 13}, {1, 1, 1}, infer_arg, lower_arg<ReduceOp::argmin>);
}

}  // namespace cppgen::ops
