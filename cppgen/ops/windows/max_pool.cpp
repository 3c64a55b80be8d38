// MaxPool: the maxima and their positions.
#include "cppgen/ops/windows/pool.h"

namespace cppgen::ops {
namespace {

// The input position of the tap inside the input that is nearest to tap k.
IndexExpr position_inside(const WindowAxis& a, IndexExpr o, IndexExpr k) {
  const IndexExpr at = a.position(o, k), start = a.position(o, 0);
  if (ir::prove_less_equal(0, at) && ir::prove_less(at, a.input)) return at;
  const IndexExpr first = ir::max(ceildiv(IndexExpr() - start, a.dilation), 0);
  const IndexExpr last = ir::min(ceildiv(a.input - start, a.dilation), a.kernel) - 1;
  return a.position(o, ir::max(ir::min(k, last), first));
}

// Row-major position among the spatial dimensions of x.
IndexExpr flat_position(const Shape& x, const std::vector<IndexExpr>& spatial) {
  IndexExpr position;
  for (size_t d = 0; d < spatial.size(); ++d) position = position * x[d + 2] + spatial[d];
  return position;
}

// The position in the window where the first spatial dimension is the fastest.
Scalar column_major(LowerContext& c, const Shape& x, Scalar row_major) {
  Scalar rest = row_major, position = index_value(c, 0);
  for (size_t d = x.size(); d-- > 2;) {
    const Scalar extent = index_value(c, x[d]);
    position = position * extent + rest.binary(ir::BinaryOp::mod_floor, extent);
    rest = rest / extent;
  }
  return position;
}

// Among several maxima, the first in the order of the taps is used, in which row-major positions increase; if all are
// the smallest possible value, a tap in the padding is replaced by one inside.
void emit_max_positions(LowerContext& c, const Window& window) {
  const Shape& x = c.shape(0);
  ir::LoopNest nest;
  nest.name = "positions";
  nest.loops = c.loops(c.output(1).shape);
  nest.reduced = c.loops(kernel_extents(window), "k");
  const std::vector<IndexExpr> at = LowerContext::indices(nest.loops), tap = LowerContext::indices(nest.reduced);
  std::vector<IndexExpr> inside;
  for (size_t d = 0; d < window.size(); ++d) inside.push_back(position_inside(window[d], at[d + 2], tap[d]));
  ir::Reduction best{
      ir::ReduceOp::argmax, DType::i64,
      load_inside(c, c.input_buffer(0), under_window(window, at, tap), lowest(c, ir::value_type(c.dtype(0))))};
  best.position = flat_position(x, inside);
  nest.reductions.push_back(best);
  Scalar position = scalar(c, c.exprs().accumulator(0, DType::i64));
  if (c.integer("storage_order", 0) != 0) position = column_major(c, x, position);
  const IndexExpr image = (at[0] * x[1] + at[1]) * ir::product(Shape(x.begin() + 2, x.end()));
  nest.stores.push_back({c.output_buffer(1), at, position + index_value(c, image)});
  c.emit(std::move(nest));
}

// to = the maxima of `from` under windows along one spatial dimension.
void emit_maxima_along(LowerContext& c, ir::BufferId from, ir::BufferId to, const WindowAxis& a, size_t dimension) {
  const Scalar least = lowest(c, ir::value_type(c.dtype(0)));
  emit_reduction(c, {"",
                     to,
                     {a.kernel},
                     ir::ReduceOp::max,
                     [&](std::vector<IndexExpr> at, const auto& tap) {
                       at[dimension] = a.position(at[dimension], tap[0]);
                       return load_inside(c, from, at, least);
                     },
                     nullptr});
}

// Large windows take fewer steps along one dimension after the other, the last one first: a sum of their extents in
// place of the product.
bool pools_by_dimension(const Window& window) {
  int64_t product = 1, sum = 0;
  for (const WindowAxis& a : window) {
    if (!a.kernel.is_constant()) return false;
    product *= a.kernel.constant(), sum += a.kernel.constant() * a.stride;
  }
  return product > 2 * sum;
}

void emit_max_by_dimension(LowerContext& c, const Window& window) {
  ir::BufferId from = c.input_buffer(0);
  Shape shape = c.shape(0);
  for (size_t d = window.size(); d-- > 0;) {
    shape[d + 2] = window[d].output;
    const ir::BufferId to = d == 0 ? c.output_buffer(0) : c.temporary(c.dtype(0), shape);
    emit_maxima_along(c, from, to, window[d], d + 2);
    from = to;
  }
}

void emit_window_max(LowerContext& c, const Window& window) {
  Scalar least = lowest(c, ir::value_type(c.dtype(0)));
  emit_reduction(c, {"", c.output_buffer(0), kernel_extents(window), ir::ReduceOp::max,
                     [&](const auto& at, const auto& tap) {
                       return load_inside(c, c.input_buffer(0), under_window(window, at, tap), least);
                     },
                     nullptr});
}

}  // namespace

void lower_max_pool(LowerContext& c) {
  Window window = pool_window(c);
  pools_by_dimension(window) ? emit_max_by_dimension(c, window) : emit_window_max(c, window);
  if (c.has_output(1)) emit_max_positions(c, window);
}

}  // namespace cppgen::ops
