// Tiles prefetch the next panel, and tensors that no cache holds for the next tile of rows: the rows of the left
// operand during the products, and what the epilogue of that tile reads and writes.

#include <algorithm>

#include "cppgen/forms/tiles/writer.h"
#include "cppgen/schedule/uses.h"
#include "runtime/contraction/tiles_ahead.h"

namespace cppgen::forms {

using ir::Loop;

namespace {

bool exceeds_caches(const KernelView& view, BufferId b) {
  return schedule::most_bytes_of(view.program().buffer(b)) > view.tuning().tensor_ahead * view.target.l2_bytes;
}

bool has_next_tile(const schedule::TileContraction& c, const TilesPlan& plan) {
  return c.batch.empty() && c.tiling.height == 0 && !plan.tiles.is_constant(1);
}

// The elements from what the epilogue accesses there to what it accesses in the next tile; 0 where vectors of tiles do
// not follow each other. Of channels-first results it is the end of a cache line, because a line may have begun in this
// tile.
int64_t distance_to_next(const KernelView& view, const TilesPlan& plan, IndexExpr offset) {
  const Loop& rows = view.kernel.segments[0].loops.back();
  const auto along = ir::stride_of(offset, rows.var.node());
  const int64_t mr = view.kernel.contraction->shape.mr;
  if (!along || !along->is_constant() || along->constant() <= 0) return 0;
  if (plan.transposed) {
    const int64_t line = view.target.cache_line / int64_t(sizeof(float));
    return along->is_constant(1) ? mr + std::min(mr, line) - 1 : 0;
  }
  const auto across = ir::stride_of(offset, view.kernel.contraction->columns.var.node());
  return across && across->is_constant(1) ? along->constant() * mr : 0;
}

}  // namespace

// The panels of a unit, or of all units with the same rows, share this work. The gaps between rows are prefetched, too.
int64_t rows_ahead(const KernelView& view, const TilesPlan& plan) {
  const schedule::TileContraction& c = *view.kernel.contraction;
  if (!has_next_tile(c, plan) || c.rows.size() != 1 || !plan.even_rows || c.left_value ||
      !points(c.taps).is_constant(1))
    return 0;
  const auto distance = ir::stride_of(view.offset(c.left), c.rows[0].var.node());
  if (!c.k.extent.is_constant() || !plan.panels.is_constant() || !distance || !distance->is_constant()) return 0;
  const int64_t K = c.k.extent.constant(), row = distance->constant();
  if (K == 0 || row < K || row > K + K / 4 || !exceeds_caches(view, c.left->buffer)) return 0;
  const int64_t panels = plan.rows_outside ? plan.panels.constant() : plan.panels_per_unit;
  const int64_t bytes = c.shape.mr * row * int64_t(sizeof(float));
  return std::min(pieces(bytes, panels * K), view.target.cache_line);
}

// Integer sums are finished column by column, and their results are a quarter as large.
std::vector<TilesPlan::Ahead> epilogue_ahead(const KernelView& view, const TilesPlan& plan) {
  std::vector<TilesPlan::Ahead> all;
  const schedule::TileContraction& c = *view.kernel.contraction;
  const schedule::Segment& epilogue = view.kernel.segments[0];
  if (!has_next_tile(c, plan) || info(c.format).sum == DType::i32 || epilogue.loops.empty()) return all;
  if (epilogue.loops.size() != 1 && !plan.transposed) return all;
  const auto add = [&](BufferId b, IndexExpr offset, bool written) {
    const bool is_there = std::any_of(all.begin(), all.end(), [&](const auto& a) { return a.buffer == b; });
    const int64_t distance = distance_to_next(view, plan, offset);
    if (!is_there && distance > 0 && exceeds_caches(view, b)) all.push_back({b, offset + distance, written});
  };
  const auto& non_temporal = view.kernel.non_temporal;
  for (const ir::Store& store : epilogue.stores)
    if (std::find(non_temporal.begin(), non_temporal.end(), store.buffer) == non_temporal.end())
      add(store.buffer, view.offset(store), true);
  for (const Expr load : loads_of(epilogue))
    if (load->guards.empty() && load->indirects.empty()) add(load->buffer, view.offset(load), false);
  return all;
}

// Declares what tiles prefetch of the next group of panels: the tiles that read a group share its lines.
void TileWriter::prefetch_ahead(const Code& tile) {
  const auto& c = contraction();
  if (c.right_in_place) return;
  if (info(c.format).panel == DType::f32) return prefetch_floats(tile);
  if (!plan_.fetches_ahead) return;
  const Code panel = factor(c.panel_elements);
  ahead_ = Code::name("ahead");
  body_.let(ahead_, "{0} < {1} ? {2} + {0} * ({3} / {1}) : 0", tile, rt::kTilesAhead,
            times(panel, plan_.panels_per_unit), panel);
}

// Panels are not prefetched if a single tile reads them before other rows follow, or if two groups are too large for
// the second-level cache.
void TileWriter::prefetch_floats(const Code& tile) {
  const auto& c = contraction();
  const bool once = plan_.rows_outside && plan_.tiles_together == 1;
  if (plan_.batch_inside || once || !c.panel_elements.is_constant()) return;
  const int64_t group = plan_.panels_per_unit * c.panel_elements.constant() * int64_t(sizeof(float));
  const double most = view_.tuning().panels_ahead_share * double(view_.target.l2_bytes);
  if (!plan_.tiles.is_constant(1) && double(group) > most) return;
  constexpr int64_t kManyTiles = 64;
  const int64_t tiles =
      plan_.rows_outside ? plan_.tiles_together : std::max<int64_t>(constant_or(plan_.tiles, kManyTiles), 1);
  ahead_ = share_of_group(tile.is_number(0) ? tile : kTileOfBlock, tiles, group);
}

// Returns what a tile fetches of the panel so many bytes behind its own (`ahead` in runtime/contraction/tiles.h), where
// so many tiles share its lines as evenly as they can.
Code TileWriter::share_of_group(const Code& tile, int64_t tiles, int64_t distance) {
  const auto whole_lines = [](int64_t bytes) { return bytes / rt::kLineBytes * rt::kLineBytes; };
  const auto& c = contraction();
  const int64_t steps = c.panel_elements.constant() / c.shape.nr, of_step = c.shape.nr * int64_t(sizeof(float));
  const int64_t bytes = rt::bytes_ahead_of_step(of_step, tiles), sharing = pieces(of_step, bytes);
  const Code place =
      sum(times(tile, whole_lines(steps * bytes)), whole_lines(distance) + bytes / int64_t(rt::kAheadStep));
  if (tile.is_number(0)) return place;
  const Code ahead = Code::name("ahead");
  body_.let(ahead, "{} < {} ? {} : 0", tile, sharing, place);
  return ahead;
}

// Declares what the steps of K prefetch of the next tile's rows, which follow those of this one.
void TileWriter::prefetch_rows(const Code& panel) {
  if (plan_.rows_ahead == 0) return;
  const int64_t K = contraction().k.extent.constant();
  const IndexExpr row = *ir::stride_of(view_.offset(contraction().left), contraction().rows[0].var.node());
  const bool from_first = plan_.rows_outside || panel.is_number(0);
  const Code number = from_first ? panel : code("({} - {})", panel, times(group_, kUnitPanels));
  rows_ahead_ = Code::name("rows_ahead");
  const Code next = code("(const char*)(left + count * {})", index_text(row));
  body_.constant("const vec::BytesAhead", rows_ahead_, "{{{}, {}}}", sum(next, times(number, plan_.rows_ahead * K)),
                 plan_.rows_ahead);
}

// Prefetches what the epilogue of the next tile accesses at the place of a vector.
void TileWriter::prefetch_epilogue() {
  for (const TilesPlan::Ahead& a : plan_.epilogue_ahead)
    body_.line("__builtin_prefetch({}, {}, 2);", sum(context_.pointers.at(a.buffer), index_text(a.offset)),
               a.written ? 1 : 0);
}

}  // namespace cppgen::forms
