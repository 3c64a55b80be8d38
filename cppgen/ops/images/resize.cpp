#include <algorithm>
#include <cmath>
#include <numeric>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/images/resize_plan.h"
#include "cppgen/ops/images/resize_run_time.h"
#include "cppgen/ops/images/resize_table.h"

namespace cppgen::ops {
namespace {

bool is_constant_list(InferContext& c, int input) {
  const auto* known = c.contents(input);
  return known && std::all_of(known->begin(), known->end(), [](IndexExpr e) { return e.is_constant(); });
}

bool has_policy(InferContext& c) { return resize_policy(c) != ResizePolicy::stretch; }

// Returns whether a resized dimension, or its size, is not constant.
bool has_symbolic_extents(InferContext& c, const RunTimeResize& r) {
  const auto* sizes = r.has_sizes() ? c.contents(3) : nullptr;
  for (size_t k = 0; k < r.axes.size(); ++k) {
    const IndexExpr in = c.shape(0)[size_t(r.axes[k])];
    const bool kept = r.scales.empty()
                          ? sizes && k < sizes->size() && ir::prove_equal((*sizes)[k], in) && !has_policy(c)
                          : k < r.scales.size() && r.scales[k] == 1;
    if (!kept && (!in.is_constant() || (sizes && !is_constant_list(c, 3)))) return true;
  }
  return false;
}

// Set if tables cannot be made now.
std::optional<RunTimeResize> run_time_resize(InferContext& c) {
  const bool old = c.opset() < 11 || c.node().op == "Upsample";
  const int scales = c.has("scales") || (c.node().op == "Upsample" && c.opset() < 9) ? -1 : old ? 1 : 2;
  RunTimeResize r{resize_mode(c), resized_axes(c, c.shape(0).size()), -1, {}, ResizePolicy::stretch, 0, {}};
  r.extrapolation = c.number("extrapolation_value", 0);
  r.policy = resize_policy(c);
  if (c.opset() >= 10 && c.node().op == "Resize" && c.has_input(3)) require_dtype(c, 3, bit(DType::i64));
  if (scales > 0 && is_run_time(c, scales) && !is_zero_sized(c.shape(scales))) {
    if (c.has_input(3)) c.fail("exactly one of scales and sizes must be given");
    r.scales_input = scales;
    r.policy = ResizePolicy::stretch;
    return r;
  }
  r.scales = given_scales(c);
  if (c.has_input(3) == !r.scales.empty()) c.fail("exactly one of scales and sizes must be given");
  if (!r.scales.empty()) r.policy = ResizePolicy::stretch;
  if (!r.scales.empty() && r.scales.size() != r.axes.size())
    c.fail(fmt::format("there are {} scales for {} dimensions", r.scales.size(), r.axes.size()));
  for (double scale : r.scales)
    if (!(scale > 0) || !std::isfinite(scale)) c.fail(fmt::format("scale {} is not allowed", scale));
  const bool crops = r.mode.coordinates == Coordinates::tf_crop_and_resize && is_run_time(c, 1);
  const bool sizes = r.has_sizes() && is_run_time(c, 3) && (!declared_shape(c, 0) || has_policy(c));
  if (crops || sizes || has_symbolic_extents(c, r)) return r;
  return std::nullopt;
}

void resolve_resize(LowerContext& c, ir::BufferId dims) { resolve_run_time_resize(c, *run_time_resize(c), dims); }

void infer_resize(InferContext& c) {
  require_dtype(c, 0, kAll);
  if (auto r = run_time_resize(c)) {
    if (r->mode.mode != Interpolation::nearest) require_dtype(c, 0, kNumbers);
    return infer_run_time_resize(c, *r);
  }
  ResizePlan plan = resize_plan(c);
  if (plan.mode.mode != Interpolation::nearest) require_dtype(c, 0, kNumbers);
  c.set_output(0, c.dtype(0), plan.output);
}

// Repeating each element a whole number of times needs no table.
bool is_repetition(const ResizeAxis& a, const ResizeTable& t) {
  if (a.out % a.in != 0) return false;
  for (int64_t o = 0; o < a.out; ++o) {
    if (t.positions[o] != o / (a.out / a.in)) return false;
  }
  return true;
}

Scalar outside_of(LowerContext& c, const std::vector<ResizeTable>& tables, const ResizePlan& plan, const At& at,
                  Scalar value) {
  for (size_t k = 0; k < plan.axes.size(); ++k) {
    const std::vector<bool>& outside = tables[k].outside;
    if (std::find(outside.begin(), outside.end(), true) == outside.end()) continue;
    std::vector<int64_t> flags(outside.begin(), outside.end());
    ir::BufferId table = c.constant_buffer(tensor_of(flags, {plan.axes[k].out}));
    value = select(load(c, table, {at[plan.axes[k].axis]}) != 0.0, value.number(plan.extrapolation), value);
  }
  return value;
}

// Sizes that only a run knows must be the declared ones, unless a policy changes them.
std::vector<Scalar> agrees_with_sizes(LowerContext& c) {
  std::vector<Scalar> conditions;
  if (!is_run_time(c, 3) || has_policy(c)) return conditions;
  std::vector<int> axes = resized_axes(c, c.shape(0).size());
  for (size_t k = 0; k < axes.size(); ++k)
    conditions.push_back(integer_element(c, 3, int64_t(k)) == index_value(c, c.output(0).shape[size_t(axes[k])]));
  return conditions;
}

void lower_nearest(LowerContext& c, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    At from = at;
    std::vector<Gathered> gathered;
    for (size_t k = 0; k < plan.axes.size(); ++k) {
      const ResizeAxis& a = plan.axes[k];
      if (is_repetition(a, tables[k])) {
        from[a.axis] = floordiv(at[a.axis], a.out / a.in);
        continue;
      }
      ir::BufferId table = c.constant_buffer(tensor_of(tables[k].positions, {a.out}));
      gathered.push_back({a.axis, load(c, table, {at[a.axis]})});
    }
    Scalar value = load_gathered(c, c.input_buffer(0), from, gathered);
    return checked(c, outside_of(c, tables, plan, at, value), agrees_with_sizes(c));
  });
}

// One axis after the other, in the order of the least work: first those that shrink, then the contiguous one, and last
// those that grow.
std::vector<size_t> order_of_axes(const ResizePlan& plan) {
  std::vector<size_t> order(plan.axes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto rank = [&](size_t k) {
    const ResizeAxis& a = plan.axes[k];
    return a.axis + 1 == int(plan.output.size()) ? 1 : a.out < a.in ? 0 : 2;
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
  return order;
}

// to[.., o, ..] = finish(sum over the taps of from[.., position, ..] * weight).
void emit_axis(LowerContext& c, ir::BufferId from, ir::BufferId to, const ResizeAxis& a, const ResizeTable& table,
               DType type, const std::function<Scalar(const At&, Scalar)>& finish) {
  const ir::BufferId positions = c.constant_buffer(tensor_of(table.positions, {a.out, table.taps}));
  const ir::BufferId factors = c.constant_buffer(tensor_of(type, table.weights, {a.out, table.taps}));
  ir::LoopNest nest;
  nest.loops = c.loops(c.program().buffer(to).shape);
  nest.reduced = c.loops({table.taps}, "t");
  const At at = LowerContext::indices(nest.loops), entry = {at[size_t(a.axis)], nest.reduced[0].var};
  const Scalar value = load_gathered(c, from, at, {{a.axis, load(c, positions, entry)}}).cast(type);
  nest.reductions.push_back({ir::ReduceOp::sum, type, value * load(c, factors, entry)});
  nest.stores.push_back({to, at, finish(at, scalar(c, c.exprs().accumulator(0, type)))});
  c.emit(std::move(nest));
}

void lower_interpolation(LowerContext& c, const ResizePlan& plan, const std::vector<ResizeTable>& tables) {
  const DType type = c.dtype(0) == DType::f64 ? DType::f64 : DType::f32, result = ir::value_type(c.dtype(0));
  const auto finish = [&](const At& at, Scalar sum) {
    return checked(c, outside_of(c, tables, plan, at, sum).cast(result), agrees_with_sizes(c));
  };
  ir::BufferId from = c.input_buffer(0);
  Shape shape = c.shape(0);
  const std::vector<size_t> order = order_of_axes(plan);
  for (size_t k : order) {
    const ResizeAxis& a = plan.axes[k];
    shape[size_t(a.axis)] = a.out;
    const bool last = k == order.back();
    const ir::BufferId to = last ? c.output_buffer(0) : c.temporary(type, shape);
    last ? emit_axis(c, from, to, a, tables[k], type, finish)
         : emit_axis(c, from, to, a, tables[k], type, [](const At&, Scalar sum) { return sum; });
    from = to;
  }
}

void lower_resize(LowerContext& c) {
  if (auto r = run_time_resize(c)) {
    r->conditions = agrees_with_sizes(c);
    return lower_run_time_resize(c, *r);
  }
  ResizePlan plan = resize_plan(c);
  std::vector<ResizeTable> tables;
  for (const ResizeAxis& a : plan.axes) tables.push_back(make_resize_table(a, plan.mode));
  bool copies = plan.axes.empty() || plan.mode.mode == Interpolation::nearest || is_zero_sized(plan.output);
  copies ? lower_nearest(c, plan, tables) : lower_interpolation(c, plan, tables);
}

}  // namespace

std::vector<Op> resize_ops() {
  return {
      {.name = "Upsample",
       .versions = {{1, "height_scale:float mode:string width_scale:float"},
                    {7, "scales:floats -height_scale -width_scale"},
                    {9, "-scales"}},
       .inputs = {1, 2},
       .infer = infer_resize,
       .lower = lower_resize,
       .resolve = resolve_resize},
      {.name = "Resize",
       .versions = {{10, "mode:string"},
                    {11,
                     "coordinate_transformation_mode:string cubic_coeff_a:float exclude_outside:int "
                     "extrapolation_value:float nearest_mode:string"},
                    13,
                    {18, "antialias:int axes:ints keep_aspect_ratio_policy:string"},
                    19},
       .inputs = {1, 4},
       .infer = infer_resize,
       .lower = lower_resize,
       .resolve = resolve_resize},
  };
}

}  // namespace cppgen::ops
