#include "cppgen/ops/windows/pool.h"

#include <algorithm>

#include "cppgen/ops/windows/window.h"

namespace cppgen::ops {

Window pool_window(InferContext& c) {
  require_rank(c, 0, 3, -1);
  const Shape& x = c.shape(0);
  size_t axes = x.size() - 2;
  if (!c.has("kernel_shape")) c.fail("attribute 'kernel_shape' is missing");
  std::vector<int64_t> kernel = per_axis(c, "kernel_shape", axes, 1, 1);
  return window_of(c, Shape(x.begin() + 2, x.end()), Shape(kernel.begin(), kernel.end()),
                   c.integer("ceil_mode", 0) != 0);
}

std::vector<IndexExpr> under_window(const Window& window, const std::vector<IndexExpr>& at,
                                    const std::vector<IndexExpr>& tap) {
  std::vector<IndexExpr> from = {at[0], at[1]};
  for (size_t d = 0; d < window.size(); ++d) from.push_back(window[d].position(at[d + 2], tap[d]));
  return from;
}

namespace {

Shape pool_output(InferContext& c, const Window& window) {
  Shape out = {c.shape(0)[0], c.shape(0)[1]};
  for (const WindowAxis& a : window) out.push_back(a.output);
  require_size(c, out, DType::f64);
  return out;
}

template <DTypes allowed>
void infer_pool(InferContext& c) {
  require_dtype(c, 0, allowed);
  Shape out = pool_output(c, pool_window(c));
  c.set_output(0, c.dtype(0), out);
  c.set_output(1, DType::i64, out);  // of MaxPool: positions of the maxima
}

// The number of taps of a window at output position o in [lo, hi).
IndexExpr taps_inside(const WindowAxis& a, IndexExpr o, IndexExpr lo, IndexExpr hi) {
  IndexExpr start = a.position(o, 0);
  IndexExpr first = ir::max(ceildiv(lo - start, a.dilation), 0);
  IndexExpr end = ir::min(ceildiv(hi - start, a.dilation), a.kernel);
  return end - first;
}

// The divisor of an average at output index `at`.
IndexExpr window_count(const Window& window, const std::vector<IndexExpr>& at, bool include_padding) {
  IndexExpr count = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowAxis& a = window[d];
    IndexExpr lo = include_padding ? IndexExpr() - a.pad_begin : IndexExpr();
    IndexExpr hi = include_padding ? a.input + a.pad_end : a.input;
    count = count * taps_inside(a, at[d + 2], lo, hi);
  }
  return count;
}

}  // namespace

Shape pooled_shape_of(InferContext& c) { return pool_output(c, pool_window(c)); }

void emit_average_pool(LowerContext& c, DType type, const std::function<Scalar(const std::vector<IndexExpr>&)>& value,
                       const std::function<Scalar(Scalar)>& finish) {
  Window window = pool_window(c);
  bool include_padding = c.integer("count_include_pad", 0) != 0;
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops(kernel_extents(window), "k");
  std::vector<IndexExpr> at = LowerContext::indices(nest.loops);
  nest.reductions.push_back(
      {ir::ReduceOp::sum, type, value(under_window(window, at, LowerContext::indices(nest.reduced)))});
  Scalar sum = scalar(c, c.exprs().accumulator(0, type));
  Scalar average = sum / index_value(c, window_count(window, at, include_padding), type);
  nest.stores.push_back({c.output_buffer(0), at, finish ? finish(average) : average});
  c.emit(std::move(nest));
}

namespace {

void lower_average_pool(LowerContext& c) {
  DType type = ir::value_type(c.dtype(0));
  emit_average_pool(c, type, [&](const std::vector<IndexExpr>& from) {
    return load_inside(c, c.input_buffer(0), from, number(c, type, 0));
  });
}

Scalar raised(Scalar x, int64_t p) {
  if (p == 1) return abs(x);
  if (p == 2) return x * x;
  return pow(abs(x), double(p));
}

Scalar root(Scalar x, int64_t p) {
  if (p == 1) return x;
  if (p == 2) return sqrt(x);
  return pow(x, 1.0 / double(p));
}

int64_t norm_order(InferContext& c) {
  int64_t p = c.opset() < 2 ? int64_t(c.number("p", 2)) : c.integer("p", 2);
  if (p < 1) c.fail(fmt::format("attribute 'p' is {}; it must be at least 1", p));
  return p;
}

void infer_lp_pool(InferContext& c) {
  norm_order(c);
  infer_pool<kFloats>(c);
}

void lower_lp_pool(LowerContext& c) {
  Window window = pool_window(c);
  int64_t p = norm_order(c);
  Scalar zero = number(c, ir::value_type(c.dtype(0)), 0);
  emit_reduction(c, {"", c.output_buffer(0), kernel_extents(window), ir::ReduceOp::sum,
                     [&](const auto& at, const auto& tap) {
                       return raised(load_inside(c, c.input_buffer(0), under_window(window, at, tap), zero), p);
                     },
                     [&](Scalar sum) { return root(sum, p); }});
}

void infer_global_pool(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 3, -1);
  Shape out = c.shape(0);
  std::fill(out.begin() + 2, out.end(), IndexExpr(int64_t(1)));
  c.set_output(0, c.dtype(0), out);
}

void infer_global_lp_pool(InferContext& c) {
  norm_order(c);
  infer_global_pool(c);
}

// Reduces all spatial dimensions.
void emit_global(LowerContext& c, ir::ReduceOp op, const std::function<Scalar(Scalar)>& value,
                 const std::function<Scalar(Scalar)>& finish) {
  const Shape& x = c.shape(0);
  emit_reduction(c, {"", c.output_buffer(0), Shape(x.begin() + 2, x.end()), op,
                     [&](const auto& at, const auto& inner) {
                       std::vector<IndexExpr> from = {at[0], at[1]};
                       from.insert(from.end(), inner.begin(), inner.end());
                       return value(load_input(c, 0, from));
                     },
                     finish});
}

void lower_global_max(LowerContext& c) { emit_global(c, ir::ReduceOp::max, unchanged, unchanged); }

void lower_global_average(LowerContext& c) {
  const Shape& x = c.shape(0);
  IndexExpr count = ir::product(std::span<const IndexExpr>(x).subspan(2));
  emit_global(c, ir::ReduceOp::sum, unchanged, [&](Scalar sum) { return sum / index_value(c, count, sum.type()); });
}

void lower_global_lp(LowerContext& c) {
  int64_t p = norm_order(c);
  emit_global(
      c, ir::ReduceOp::sum, [&](Scalar x) { return raised(x, p); }, [&](Scalar sum) { return root(sum, p); });
}

}  // namespace

std::vector<Op> pool_ops() {
  return {
      {.name = "MaxPool",
       .versions = {{1, "auto_pad:string kernel_shape:ints pads:ints strides:ints"},
                    {8, "storage_order:int"},
                    {10, "ceil_mode:int dilations:ints"},
                    11,
                    12,
                    22},
       .inputs = 1,
       .outputs = 2,
       .infer = infer_pool<kFloats | bit(DType::i8) | bit(DType::u8)>,
       .lower = lower_max_pool},
      {.name = "AveragePool",
       .versions = {{1, "auto_pad:string kernel_shape:ints pads:ints strides:ints"},
                    {7, "count_include_pad:int"},
                    {10, "ceil_mode:int"},
                    11,
                    {19, "dilations:ints"},
                    22},
       .inputs = 1,
       .infer = infer_pool<kFloats>,
       .lower = lower_average_pool},
      {.name = "LpPool",
       .versions = {{1, "auto_pad:string kernel_shape:ints p:float pads:ints strides:ints"},
                    {2, "p:int"},
                    11,
                    {18, "ceil_mode:int dilations:ints"},
                    22},
       .inputs = 1,
       .infer = infer_lp_pool,
       .lower = lower_lp_pool},
      {.name = "GlobalMaxPool",
       .versions = {1, 22},
       .inputs = 1,
       .infer = infer_global_pool,
       .lower = lower_global_max},
      {.name = "GlobalAveragePool",
       .versions = {1, 22},
       .inputs = 1,
       .infer = infer_global_pool,
       .lower = lower_global_average},
      {.name = "GlobalLpPool",
       .versions = {{1, "p:float"}, {2, "p:int"}, 22},
       .inputs = 1,
       .infer = infer_global_lp_pool,
       .lower = lower_global_lp},
  };
}

}  // namespace cppgen::ops
