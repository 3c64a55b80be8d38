#include "cppgen/kernel/work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cppgen/schedule/costs.h"
#include "runtime/contraction/formats.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::kernel {
namespace {

using schedule::Attention;
using schedule::Costs;
using schedule::costs_of;
using schedule::Segment;
using schedule::TileContraction;

constexpr int64_t kMatrixSide = 16;      // rows and columns of a matrix tile
constexpr int64_t kMatrixRowBytes = 64;  // bytes of the depth that one instruction multiplies

IndexExpr contraction_flops(const TileContraction& c) {
  return 2 * points(c.batch) * points(c.rows) * points(c.taps) * c.columns.extent * c.depth.extent;
}

// Products that matrix tiles of bfloat16 compute for one of float32.
int64_t products_of_parts(const rt::TileFormatInfo& format) {
  return format.parts == 0 ? 1 : format.parts * (format.parts + 1) / 2;
}
int64_t matrix_depth(const rt::TileFormatInfo& format) { return kMatrixRowBytes / (format.parts == 0 ? 1 : 2); }

double rate_of_tiles(const rt::TileFormatInfo& format, const schedule::Target& target) {
  const Costs& costs = costs_of(target);
  if (format.form == rt::LeftForm::block)
    return double(kMatrixSide * kMatrixSide * matrix_depth(format)) /
           double(costs.matrix_instruction * target.lanes * products_of_parts(format));
  if (format.panel == DType::bf16) return std::max(1.0, target.bf16_dot_speed);
  if (format.sum == DType::f64) return 0.5;
  if (format.sum != DType::i32 && format.left != DType::i8) return 1;
  if (target.lanes == 1) return costs.scalar_words_rate;
  return target.byte_dots ? format.depth_group : costs.words_rate;
}

// How many iterations of the loop of rows at `position` a tile of `tile_rows` rows spans.
int64_t span_of_tile(const TileContraction& c, size_t position, int64_t tile_rows) {
  const auto& tiling = c.tiling;
  if (tiling.height > 0 && position + 2 == c.rows.size()) return 1;  // a line of an image
  if (tiling.left + tiling.right > 0 && position + 1 == c.rows.size()) return 1;
  double inner = 1;
  for (size_t i = position + 1; i < c.rows.size(); i++) {
    if (!c.rows[i].extent.is_constant()) return 1;
    inner *= double(std::max<int64_t>(c.rows[i].extent.constant(), 1));
  }
  return std::llround(1 + double(tile_rows - 1) / inner);
}

// The part of the rows and taps for which a guard of the left operand holds for some row of a tile; nullopt unless it
// depends on one loop of each with known strides, and not on very many taps.
std::optional<double> share_inside(const ir::Guard& guard, const TileContraction& c, int64_t tile_rows) {
  const auto only_loop = [&](const std::vector<ir::Loop>& loops) -> const ir::Loop* {
    const ir::Loop* found = nullptr;
    for (const ir::Loop& l : loops) {
      if (!ir::depends_on(guard.index, l.var.node())) continue;
      if (found || !l.extent.is_constant()) return nullptr;
      found = &l;
    }
    return found;
  };
  constexpr int64_t kMostTaps = 1 << 16;
  const ir::Loop *row = only_loop(c.rows), *tap = only_loop(c.taps);
  if (!row || !tap || tap->extent.constant() > kMostTaps || !guard.lo.is_constant() || !guard.hi.is_constant())
    return std::nullopt;
  const auto step = ir::stride_of(guard.index, row->var.node()), next = ir::stride_of(guard.index, tap->var.node());
  if (!step || !next || !step->is_constant() || !next->is_constant() || step->constant() < 1) return std::nullopt;
  const IndexExpr start = guard.index - *step * row->var - *next * tap->var;
  if (!start.is_constant()) return std::nullopt;
  const double stride = double(step->constant()), rows = double(row->extent.constant());
  const auto block = double(span_of_tile(c, size_t(row - c.rows.data()), tile_rows));
  double inside = 0;
  for (int64_t t = 0; t < tap->extent.constant(); t++) {
    const double first = double(start.constant()) + double(next->constant()) * double(t);  // the index of the first row
    const double begin = std::clamp(std::ceil((double(guard.lo.constant()) - first) / stride), 0.0, rows);
    const double end = std::clamp(std::ceil((double(guard.hi.constant()) - first) / stride), 0.0, rows);
    if (end > begin) inside += std::min(rows, std::ceil(end / block) * block) - std::floor(begin / block) * block;
  }
  return std::max(inside, 1.0) / (rows * double(tap->extent.constant()));
}

// The part of the products that tiles of so many rows compute, which skip taps that are in the padding for all their
// rows.
double share_computed(const TileContraction& c, int64_t tile_rows) {
  double share = 1;
  for (const ir::Guard& guard : c.left->guards) share *= share_inside(guard, c, tile_rows).value_or(1);
  return share;
}

// A product that is added to a sum. Loops compute it in the type of the sum, narrow ones in 32 bits.
void add_loops(const KernelView& view, KernelWork& work) {
  constexpr double kLaneBytes = 4;
  for (const Segment& s : view.kernel.segments)
    for (const ir::Reduction& r : s.reductions) {
      if (!is_sum_of_products(r)) continue;
      work.flops = work.flops + 2 * points(view.kernel.outer) * points(s);
      if (view.target.lanes > 1) work.rate = std::min(work.rate, kLaneBytes / double(size_of(r.type)));
    }
}

// The vectors of so many columns of sums, of which float64 takes two registers for all lanes.
int64_t vectors_of_sums(const KernelView& view, const TileContraction& c, int64_t columns) {
  constexpr int64_t kLaneBytes = 4;
  return std::max<int64_t>(1, pieces(columns * int64_t(size_of(info(c.format).sum)), kLaneBytes * view.target.lanes));
}

// Rows that cost as much as those of all tiles: small tiles do not hide the latency of a multiply-add, and each tile
// and tap has a start.
IndexExpr rows_of_tiles(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  constexpr int64_t kParts = 16;
  const schedule::Tuning usual(view.target.lanes);  // other values change the plan, not the machine
  const int64_t vectors = vectors_of_sums(view, c, c.shape.nr);
  const int64_t start = std::llround(usual.tile_start * double(kParts));
  const IndexExpr rows = ir::max(points(c.rows), plan.tiles * pieces(usual.hiding_sums, vectors));
  return ir::ceildiv(rows * kParts + plan.tiles * start, kParts);
}

IndexExpr matrix_products(const TileContraction& c, const rt::TileFormatInfo& format, const Costs& costs) {
  const IndexExpr tiles = ir::ceildiv(points(c.rows), kMatrixSide) * ir::ceildiv(c.columns.extent, kMatrixSide);
  return points(c.batch) * tiles * points(c.taps) * ir::ceildiv(c.depth.extent, matrix_depth(format)) *
         (products_of_parts(format) * costs.matrix_instruction);
}

IndexExpr tile_products(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  const rt::TileFormatInfo& format = info(c.format);
  if (format.form == rt::LeftForm::block) return matrix_products(c, format, costs_of(view.target));
  const int64_t width = plan.width.value_or(c.shape.nr), vectors = vectors_of_sums(view, c, width);
  const IndexExpr all = points(c.batch) * rows_of_tiles(view, c, plan) * plan.panels * points(c.taps) *
                        ir::ceildiv(c.depth.extent, format.depth_group) * vectors;
  constexpr int64_t kParts = 1024;
  const double share = c.tiling.skips_padding ? share_computed(c, c.shape.mr) : 1;
  const int64_t computed = std::llround(share * double(kParts));
  return computed < kParts ? ir::ceildiv(all * std::max<int64_t>(computed, 1), kParts) : all;
}

// The instructions that prepare rows, once for each group of panels.
IndexExpr preparing_instructions(const KernelView& view, const TileContraction& c, const TilesPlan& plan) {
  if (plan.even_rows || info(c.format).form == rt::LeftForm::in_place) return 0;
  const IndexExpr vectors = ir::ceildiv(c.depth.extent, view.target.lanes);
  return 3 * points(c.batch) * points(c.rows) * points(c.taps) * vectors *
         ir::ceildiv(plan.panels, plan.panels_per_unit);
}

void set_instructions(KernelWork& work, const Instructions& n) {
  work.instructions = n.simple, work.multi_instruction = n.multi_instruction, work.functions = n.functions;
}

void add_tiles(const KernelView& view, const TilesPlan& plan, KernelWork& work) {
  const TileContraction& c = *view.kernel.contraction;
  work.flops = contraction_flops(c), work.rate = rate_of_tiles(info(c.format), view.target) / share_computed(c, 1);
  work.products = tile_products(view, c, plan);
  set_instructions(work, epilogue_instructions(view, c.batch, c.columns));
  const Costs& costs = costs_of(view.target);
  const int64_t more = (c.in_registers ? 0 : costs.sums_through_memory) + (plan.transposed ? costs.transposed_result : 0);
  work.instructions = work.instructions + preparing_instructions(view, c, plan) +
                      more * points(c.batch) * points(c.rows) * ir::ceildiv(c.columns.extent, view.target.lanes);
}

// The instructions that read, transform and write the vectors of patches, in both directions.
IndexExpr transforming_instructions(const KernelView& view, const TileContraction& c, const WinogradPlan& plan) {
  const int64_t lanes = view.target.lanes, products = rt::winograd::products(c.winograd);
  const IndexExpr inputs = ir::ceildiv(c.depth.extent, lanes) * ir::ceildiv(plan.panels, plan.panels_per_unit);
  return costs_of(view.target).winograd_element * products * plan.patches * points(c.batch) *
         (inputs + ir::ceildiv(c.columns.extent, lanes));
}

void add_winograd(const KernelView& view, const WinogradPlan& plan, KernelWork& work) {
  const TileContraction& c = *view.kernel.contraction;
  const int64_t products = rt::winograd::products(c.winograd), lanes = view.target.lanes;
  const IndexExpr rows = products * plan.patches * points(c.batch);
  work.flops = 2 * rows * c.depth.extent * c.columns.extent;
  work.products = rows * plan.panels * c.depth.extent * std::max<int64_t>(1, c.shape.nr / lanes);
  set_instructions(work, epilogue_instructions(view, c.batch, c.columns));
  work.instructions = work.instructions + transforming_instructions(view, c, plan) +
                      costs_of(view.target).sums_through_memory * rows * ir::ceildiv(c.columns.extent, lanes);
}

// The scores of rows that no mask hides, where groups of rows are computed together. A row sees as many keys as the
// mean of the first and the last one.
IndexExpr scores_seen(const Attention& a, const std::optional<KeysSeen>& seen, int64_t group) {
  if (!seen) return points(a.batch) * a.rows.extent * a.keys.extent;
  const auto keys_of_row = [&](IndexExpr row) {
    return ir::min(a.keys.extent, ir::max(seen->first + seen->by_row * row, 0));
  };
  const IndexExpr last = ir::max(a.rows.extent - 1, 0), first = ir::min(last, group - 1);
  return points(a.batch) * ir::ceildiv(a.rows.extent * (keys_of_row(first) + keys_of_row(last)), 2);
}

void add_attention(const KernelView& view, const AttentionPlan& plan, KernelWork& work) {
  const Attention& a = *view.kernel.attention;
  const Costs& costs = costs_of(view.target);
  const int64_t width = view.target.tiles[size_t(rt::TileFormat::f32)].nr;
  const IndexExpr scores = scores_seen(a, plan.hidden, width);
  work.flops = 2 * scores_seen(a, plan.hidden, 1) * (a.depth.extent + a.columns.extent);
  work.products = ir::ceildiv(
      ir::ceildiv(scores, view.target.lanes) * (a.depth.extent + a.columns.extent) * costs.attention_tenths, 10);
  const Instructions softmax{0, costs.softmax, costs.function_least};  // the least for its exponential
  set_instructions(work,
                   ir::ceildiv(scores, view.target.lanes) * (softmax + instructions_of_vector({a.score}, view.target)));
}

// Points of the loops that the indices depend on: at most so many elements are accessed.
IndexExpr points_accessed(const std::vector<ir::Loop>& loops, const std::vector<IndexExpr>& indices) {
  IndexExpr n = 1;
  for (const ir::Loop& l : loops)
    if (std::any_of(indices.begin(), indices.end(), [&](IndexExpr i) { return ir::depends_on(i, l.var.node()); }))
      n = n * l.extent;
  return n;
}

// The elements of each buffer in memory that a kernel accesses.
class Accessed {
 public:
  explicit Accessed(const KernelView& view) : view_(view) {}

  void add(const Segment& s, std::vector<ir::Loop> loops) {
    loops.insert(loops.end(), s.loops.begin(), s.loops.end());
    std::vector<ir::Loop> all = loops;
    all.insert(all.end(), s.reduced.begin(), s.reduced.end());
    for (Expr load : loads_of(s)) add_load(load, all);
    for (const auto& store : s.body) add(store.buffer, points_accessed(all, store.indices));
    for (const auto& store : s.stores) add(store.buffer, points_accessed(loops, store.indices));
  }
  void add_load(Expr e, const std::vector<ir::Loop>& loops) {
    if (e->kind != ir::ExprKind::load) return;
    add(e->buffer, e->indirects.empty() ? points_accessed(loops, e->indices) : ir::points(loops));
  }
  void add_all(BufferId b) { add(b, ir::product(view_.program().buffer(b).shape)); }
  void add(BufferId b, IndexExpr elements) {
    if (view_.local(b)) return;
    const auto [it, added] = elements_.emplace(b, elements);
    if (!added) it->second = it->second + elements;
  }

  IndexExpr bytes() const {
    IndexExpr n = 0;
    for (const auto& [b, elements] : elements_) {
      const IndexExpr all = ir::product(view_.program().buffer(b).shape);
      n = n + ir::min(elements, all) * int64_t(size_of(view_.type_of(b)));
    }
    return n;
  }

 private:
  const KernelView& view_;
  std::map<BufferId, IndexExpr> elements_;
};

// The elements of the panels that products read: not the original taps behind transformed ones.
IndexExpr panels_read(const ir::Buffer& packed, const TileContraction& c) {
  const IndexExpr all = ir::product(packed.shape);
  if (c.winograd.side == 0) return all;
  const int64_t products = rt::winograd::products(c.winograd);
  return ir::ceildiv(all * products, products + int64_t(rt::winograd::direct_taps(c.winograd)));
}

IndexExpr bytes_of(const KernelView& view) {
  const auto& kernel = view.kernel;
  Accessed accessed(view);
  std::vector<ir::Loop> outer = kernel.outer;
  if (const auto& a = kernel.attention) {
    for (const Expr load : {a->query, a->key, a->value}) accessed.add_all(load->buffer);
    std::vector<ir::Loop> scores = a->batch;
    scores.insert(scores.end(), {a->rows, a->keys});
    for (Expr e : ir::postorder({&a->score, 1})) accessed.add_load(e, scores);
    outer = a->batch;
    outer.insert(outer.end(), {a->rows, a->columns});
  }
  if (const auto& c = kernel.contraction) {
    for (const Expr load : roots_of(*c)) accessed.add_all(load->buffer);
    accessed.add(c->packed, panels_read(view.program().buffer(c->packed), *c));
    outer = c->batch;
    outer.push_back(c->columns);
  }
  for (const auto& s : kernel.segments) accessed.add(s, outer);
  return accessed.bytes();
}

}  // namespace

KernelWork work_of(const KernelView& view, const KernelPlan& plan) {
  KernelWork work;
  if (const auto* tiles = std::get_if<TilesPlan>(&plan.form))
    add_tiles(view, *tiles, work);
  else if (const auto* winograd = std::get_if<WinogradPlan>(&plan.form))
    add_winograd(view, *winograd, work);
  else if (const auto* attention = std::get_if<AttentionPlan>(&plan.form))
    add_attention(view, *attention, work);
  else
    add_loops(view, work), set_instructions(work, loop_instructions(view, plan));
  work.bytes = bytes_of(view);
  return work;
}

}  // namespace cppgen::kernel
