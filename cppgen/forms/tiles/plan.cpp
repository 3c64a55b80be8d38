// Contractions on tiles: rows x columns blocks over packed panels of the right operand. Sums do not depend on how tiles
// are divided among units.
#include "cppgen/forms/tiles/plan.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/forms.h"
#include "runtime/base/errors.h"
#include "runtime/contraction/n_bit_layout.h"

namespace cppgen::forms {
namespace {

using ir::Loop;
using schedule::TileContraction;

IndexExpr tile_count(const TileContraction& c) {
  const auto& t = c.tiling;
  const int64_t mr = c.shape.mr, edges = t.left + t.right;
  const IndexExpr rows = points(c.rows);
  if (t.height == 0) return ir::ceildiv(rows, mr);
  return ir::floordiv(rows, t.height * t.width) *
         (t.height * pieces(t.width - edges, mr) + edges * pieces(t.height, mr));
}

// Returns how many units threads should find: more for a contraction that leaves each of them enough work.
int64_t wanted_units(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& tuning = view.tuning();
  const IndexExpr products = points(c.batch) * points(c.rows) * c.columns.extent * c.k.extent * points(c.taps);
  const int64_t large = constant_or(products, 0) / tuning.contraction_unit_products;
  return std::clamp(large, tuning.contraction_units, std::max(tuning.contraction_units, tuning.contraction_many_units));
}

// Returns as many panels as fit their share of the second-level cache while all rows pass over them, but few enough to
// leave units for many threads.
int64_t panels_per_unit(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& tuning = view.tuning();
  const int64_t most = constant_or(plan.panels, tuning.unknown_panels);
  if (c.blocking.panels > 0) return std::max<int64_t>(1, std::min(most, c.blocking.panels));
  int64_t group = most;
  if (c.panel_elements.is_constant()) {
    const int64_t bytes = int64_t(size_of(info(c.format).panel)) * c.panel_elements.constant();
    group = std::min(group, std::max<int64_t>(1, view.target.l2_bytes / tuning.panel_cache_share / bytes));
  }
  const int64_t row_tiles = constant_or(plan.tiles, tuning.unknown_panels);
  if (const int64_t units = wanted_units(view); row_tiles < units)
    group = std::min(group, std::max<int64_t>(1, most * row_tiles / units));
  // Rows are prepared once per unit: that should cost a small part of its time.
  if (info(c.format).form != rt::LeftForm::in_place) group = std::max(group, std::min(most, tuning.prepared_panels));
  return std::max<int64_t>(group, 1);
}

// The tiles of a unit of a contraction on matrix tiles share each block of a panel. Where panels come from memory,
// there are as many as fit half of the second-level cache once they are prepared, and as many panels as share that
// cost; where all panels stay in the cache, few tiles leave units for many threads. The sums of several blocks of K fit
// a quarter.
void plan_matrix_tiles(const KernelView& view, TilesPlan& plan, const rt::KBlocks& blocks) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& tuning = view.tuning();
  check(c.tiling.left + c.tiling.right == 0, "tiles: matrix tiles of the border");
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, nr = c.shape.nr, half = view.target.l2_bytes / 2;
  const int64_t bytes = rt::prepared_bytes(c.format, mr, taps, c.k.extent.constant());
  const int64_t panels = constant_or(plan.panels, tuning.unknown_panels);
  const int64_t batch = std::max<int64_t>(1, constant_or(points(c.batch), 1));
  const int64_t wanted = pieces(tuning.contraction_units, batch);

  const bool asked = c.blocking.row_tiles > 0;
  const int64_t suggested = asked ? c.blocking.row_tiles : std::min(tuning.block_tiles, half / bytes);
  const int64_t most = std::max<int64_t>(1, std::min(suggested, tuning.block_pointer_bytes / (taps * mr * 8)));
  const int64_t all = std::max<int64_t>(1, constant_or(plan.tiles, wanted * most));
  const bool stay = !asked && panels * c.panel_elements.constant() <= half;
  const int64_t groups = std::max(pieces(all, most), stay ? std::min(all, wanted) : 1);
  const int64_t tiles = pieces(all, groups);

  const int64_t sums_bytes = tiles * mr * nr * int64_t(size_of(info(c.format).sum));
  const int64_t most_panels = blocks.count > 1 ? std::max<int64_t>(1, half / 2 / sums_bytes) : panels;
  const int64_t panel_groups =
      std::max({int64_t{1}, std::min(pieces(wanted, groups), pieces(panels, tuning.matrix_panels)),
                pieces(panels, most_panels)});
  plan.panels_per_unit = c.blocking.panels > 0 ? std::min(panels, c.blocking.panels) : pieces(panels, panel_groups);
  plan.panels_per_unit = std::max<int64_t>(1, plan.panels_per_unit);
  plan.blocks = {blocks, tiles, bytes};
}

// Blocks whose weights are unpacked once for as many tiles as fit half of the second-level cache with their rows, in
// groups of equal size. The sums of all panels of a unit fit a quarter; few panels leave units for many threads.
void plan_unpacked(const KernelView& view, TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& tuning = view.tuning();
  const int64_t mr = c.shape.mr, nr = c.shape.nr, K = c.k.extent.constant();
  const int64_t steps = std::min(K, c.unpacked_k), number = int64_t(sizeof(float));
  const int64_t fitting = view.target.l2_bytes / 2 / (mr * steps * number);
  const int64_t suggested = c.blocking.row_tiles > 0 ? c.blocking.row_tiles : std::min(tuning.unpacked_tiles, fitting);
  const int64_t most = std::max<int64_t>(1, std::min(suggested, tuning.block_pointer_bytes / (mr * 8)));
  const int64_t all = constant_or(plan.tiles, most), groups = pieces(all, most), tiles = pieces(all, groups);
  const int64_t panels = constant_or(plan.panels, tuning.unknown_panels);
  const int64_t sums_fitting = view.target.l2_bytes / 4 / (tiles * mr * nr * number);
  const int64_t shared = std::min(sums_fitting, panels * groups / tuning.unpacked_units);
  plan.panels_per_unit = std::clamp<int64_t>(c.blocking.panels > 0 ? c.blocking.panels : shared, 1, panels);
  plan.blocks = {{pieces(K, steps), 1, steps, 0}, tiles, rt::prepared_bytes(c.format, mr, 1, steps)};
  plan.blocks->weight_bytes = rt::n_bits::unpacked_steps(steps) * nr * number;
  plan.blocks->least_tiles = tuning.unpacked_least_tiles;
}

bool may_unpack(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const int64_t least = view.tuning().unpacked_least_tiles;
  return c.unpacked_k > 0 && c.k.extent.is_constant() && c.k.extent.constant() > 0 &&
         constant_or(plan.tiles, least) >= least;
}

// Returns whether the rows of every tile in registers have a constant distance, the same for each tap.
bool rows_are_even(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  if (c.left_value) return c.in_registers;
  if (!c.in_registers || !c.left->guards.empty()) return false;
  const bool within_lines = c.tiling.height != 0 && c.tiling.left + c.tiling.right == 0;
  if (c.rows.size() != 1 && !within_lines) return false;
  const IndexExpr offset = view.offset(c.left);
  const auto has_constant_stride = [&](const Loop& l) {
    const auto stride = ir::stride_of(offset, l.var.node());
    return stride && stride->is_constant();
  };
  return has_constant_stride(c.rows.back()) && std::all_of(c.taps.begin(), c.taps.end(), has_constant_stride);
}

// Returns whether rows are contiguous in the result and columns are not, as in channels-first images. With several
// loops of rows, this refers to the last; tiles that extend into another image are written row by row.
bool transposes_results(const KernelView& view) {
  const auto& epilogue = view.kernel.segments[0];
  if (view.target.lanes < 2 || epilogue.loops.empty()) return false;
  return std::all_of(epilogue.stores.begin(), epilogue.stores.end(), [&](const ir::Store& s) {
    const IndexExpr offset = view.offset(s);
    const auto along = ir::stride_of(offset, epilogue.loops.back().var.node());
    const auto across = ir::stride_of(offset, view.kernel.contraction->columns.var.node());
    return along && along->is_constant(1) && !(across && across->is_constant(1));
  });
}

// Returns whether neighbouring units are different panels of the same rows, not different rows of the same panels. A
// thread then reads and writes a part of the rows, which the steps before and after divide in the same way, so that
// they stay in its own cache; but each thread reads all panels, which must stay there, too.
bool has_rows_outside(const KernelView& view, const TilesPlan& plan) {
  return !plan.tiles.is_constant(1) && plan.panels_per_unit < constant_or(plan.panels, plan.panels_per_unit) &&
         panels_stay_in_cache(
             view, plan.panels * (plan.batch_inside ? points(view.kernel.contraction->batch) : IndexExpr(1)));
}

// A thread reads each panel with several tiles of rows, while the next panel arrives from memory, before it takes the
// next rows. There are an even number of such blocks, so that two threads have different rows.
int64_t tiles_together(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const bool prefetches = info(c.format).panel == DType::f32 && !c.right_in_place && !plan.batch_inside && !plan.blocks;
  if (!plan.rows_outside || !prefetches || !plan.tiles.is_constant() || c.left_value) return 1;
  const int64_t tiles = std::max<int64_t>(plan.tiles.constant(), 1), most = view.tuning().tiles_together;
  return pieces(tiles, 2 * pieces(tiles, 2 * most));
}

// Returns whether tiles prefetch the panels of the next group of them, which other units multiply by the same rows. A
// network's weights exceed the caches, and the first tile of rows would wait for them.
bool fetches_ahead(const KernelView& view, const TilesPlan& plan) {
  return rt::tiles_prefetch(view.kernel.contraction->format) && !plan.tiles.is_constant(1) && !plan.rows_outside;
}

// The distance between neighbouring points of a loop, if it is constant.
std::optional<int64_t> constant_distance(IndexExpr offset, const Loop& loop) {
  const auto stride = ir::stride_of(offset, loop.var.node());
  return stride && stride->is_constant() ? std::optional(std::abs(stride->constant())) : std::nullopt;
}

// Returns whether neighbouring batch points follow each other in memory, and rows do not: the groups of channels-last
// images.
bool reads_neighbours(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  if (c.taps.empty() || c.rows.empty() || !c.k.extent.is_constant()) return false;
  const IndexExpr left = view.offset(c.left);
  const auto batches = constant_distance(left, c.batch.back()), rows = constant_distance(left, c.rows.back());
  return batches && rows && *batches == c.k.extent.constant() && *batches < *rows;
}

// Returns whether results of different batch points are closer to each other in memory than those of different rows, as
// for the groups of a convolution: threads that computed different batch points would write to the same cache lines. It
// is also true if the rows of different batch points are neighbours, which are better read together. All panels must
// stay in the cache, because each tile of rows needs those of every batch point.
bool has_batch_inside(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& epilogue = view.kernel.segments[0];
  if (c.batch.empty() || epilogue.loops.empty() || epilogue.stores.empty() || plan.tiles.is_constant(1)) return false;
  if (!panels_stay_in_cache(view, plan.panels * points(c.batch))) return false;
  const IndexExpr result = view.offset(epilogue.stores[0]);
  const auto batches = constant_distance(result, c.batch.back()),
             rows = constant_distance(result, epilogue.loops.back());
  return (batches && rows && *batches < *rows) || reads_neighbours(view);
}

// See TilesPlan::batch_distance. Padding is moved, too, so there has to be as much of it.
int64_t batch_distance(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  if (!plan.batch_inside || plan.blocks || plan.even_rows || c.left_scales || c.batch.size() != 1) return 0;
  const auto distance = ir::stride_of(view.offset(c.left), c.batch[0].var.node());
  if (!distance || !distance->is_constant() || distance->constant() < 0) return 0;
  const IndexExpr moved = points(c.batch) * *distance;
  const bool is_guarded = std::any_of(c.left->guards.begin(), c.left->guards.end(),
                                      [&](const auto& g) { return ir::depends_on(g.index, c.batch[0].var.node()); });
  if (is_guarded || !moved.is_constant() || moved.constant() > view.tuning().moved_padding) return 0;
  return distance->constant();
}

// Plans the numbers of rows that tiles have; if they are not all known, those of most tiles. Returns all that tiles may
// have: none if the tensor has no rows.
std::vector<int64_t> plan_row_counts(const TileContraction& c, TilesPlan& plan) {
  const IndexExpr rows = points(c.rows);
  const int64_t mr = c.shape.mr;
  std::vector<int64_t> counts;
  const auto add_pieces_of = [&](int64_t length) {
    const int64_t count = std::max<int64_t>(pieces(length, mr), 1);
    for (int64_t n : {pieces(length, count), length / count})
      if (n > 0 && std::find(counts.begin(), counts.end(), n) == counts.end()) counts.push_back(n);
  };
  if (c.tiling.height == 0 && !rows.is_constant()) {
    plan.row_counts = {mr, mr - 1};
    counts.resize(size_t(mr));
    std::iota(counts.begin(), counts.end(), 1);
    return counts;
  }
  add_pieces_of(c.tiling.height != 0 ? c.tiling.width - c.tiling.left - c.tiling.right : rows.constant());
  plan.row_counts = counts;
  if (c.tiling.left + c.tiling.right != 0) add_pieces_of(c.tiling.height);
  plan.row_counts_are_all = counts == plan.row_counts;
  return counts;
}

// The number of columns of every tile, if it is the same for all; otherwise only tiles of full width are in registers.
std::optional<int64_t> width_of_all_tiles(const TileContraction& c) {
  if (ir::mod(c.columns.extent, c.shape.nr).is_constant(0)) return c.shape.nr;
  const bool one_panel = c.columns.extent.is_constant() && c.columns.extent.constant() < c.shape.nr;
  return one_panel ? std::optional(c.columns.extent.constant()) : std::nullopt;
}

int64_t computed_row(const TileContraction& c) {
  if (!c.left_value) return 0;
  const auto number = int64_t(sizeof(float));
  return rt::prepared_bytes(rt::TileFormat::f32_copied, 1, 1, c.k.extent.constant()) / number;
}

// The scratch memory for the left operand in the form that tiles read, in bytes.
IndexExpr prepared_scratch(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  const rt::TileFormatInfo& format = info(c.format);
  if (plan.computed_row != 0) return plan.computed_row * c.shape.mr * int64_t(sizeof(float));
  if (plan.even_rows || format.form == rt::LeftForm::in_place) return 0;
  const int64_t taps = points(c.taps).constant(), mr = c.shape.mr, line = view.target.cache_line;
  if (c.k.extent.is_constant()) return rt::prepared_bytes(c.format, mr, taps, c.k.extent.constant());
  check(format.form == rt::LeftForm::rows, "tiles: a block of unknown K");
  const IndexExpr lines = ir::ceildiv(c.k.extent * int64_t(size_of(rt::prepared_type(c.format))), line) + 1;
  return lines * (line * taps * mr);
}

IndexExpr scratch_bytes(const KernelView& view, const TilesPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  if (!plan.blocks) return prepared_scratch(view, plan);
  const bool keeps_sums = plan.blocks->k_blocks.count > 1;
  const int64_t panel_sums = plan.block_rows(c.shape.mr) * c.shape.nr * int64_t(size_of(info(c.format).sum));
  const int64_t sums = keeps_sums ? plan.panels_per_unit * panel_sums : 0;
  const IndexExpr blocks = plan.blocks->tiles * (plan.blocks->prepared_bytes + sums) + plan.blocks->weight_bytes;
  return plan.blocks->least_tiles == 0 ? blocks : ir::max(blocks, prepared_scratch(view, plan));
}

PlannedKernel plan_tiles(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  const int64_t mr = c.shape.mr, nr = c.shape.nr;
  TilesPlan tiles;
  tiles.tiles = tile_count(c), tiles.panels = ir::ceildiv(c.columns.extent, nr);
  if (info(c.format).form == rt::LeftForm::block)
    plan_matrix_tiles(view, tiles, rt::k_blocks(c.format, points(c.taps).constant(), c.k.extent.constant()));
  else if (may_unpack(view, tiles))
    plan_unpacked(view, tiles);
  else
    tiles.panels_per_unit = panels_per_unit(view, tiles);
  tiles.batch_inside = has_batch_inside(view, tiles);
  tiles.rows_outside = has_rows_outside(view, tiles);
  tiles.tiles_together = tiles_together(view, tiles);
  tiles.fetches_ahead = fetches_ahead(view, tiles);
  tiles.even_rows = rows_are_even(view);
  tiles.computed_row = computed_row(c);
  tiles.batch_distance = batch_distance(view, tiles);
  tiles.transposed = transposes_results(view);
  tiles.transposed_side = pieces(mr, view.target.lanes) * view.target.lanes;
  const std::vector<int64_t> row_counts = plan_row_counts(c, tiles);
  tiles.width = width_of_all_tiles(c);
  tiles.rows_ahead = rows_ahead(view, tiles), tiles.epilogue_ahead = epilogue_ahead(view, tiles);
  if (!row_counts.empty()) tiles.end = end_of_tiles(view, tiles);

  PlannedKernel plan;
  const IndexExpr groups = ir::ceildiv(tiles.panels, tiles.panels_per_unit);
  const int64_t panels = tiles.panels_per_unit, together = tiles.blocks ? tiles.blocks->tiles : 1;
  const int64_t products = together * mr * panels * nr;  // of one step of K
  plan.units = (tiles.blocks ? ir::ceildiv(tiles.tiles, together) : tiles.tiles) * groups * points(c.batch);
  plan.unit_work = points(c.taps) * c.k.extent * std::max<int64_t>(products / view.tuning().products_per_element, 1);
  plan.scratch_bytes = scratch_bytes(view, tiles);
  plan.read_by_all = tiles.rows_outside ? -1 : c.left->buffer, plan.column_groups = groups;
  if (tiles.end)
    plan.finished_tiles = {{tiles.end->number, row_counts}};
  else
    plan.tile_functions = int64_t(tiles.row_counts.size());
  plan.form = std::make_unique<TilesPlan>(std::move(tiles));
  return plan;
}

}  // namespace

Form tiles_form() {
  return {"tiles", [](const KernelView& view) { return is_contraction(view, schedule::kTilesForm); }, plan_tiles};
}

}  // namespace cppgen::forms
