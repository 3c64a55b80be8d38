// Convolutions by Winograd's algorithm. Sums do not depend on how patches are divided among units.
#include "cppgen/forms/winograd/plan.h"

#include <algorithm>

#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/forms.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::forms {
namespace {

using schedule::TileContraction;

constexpr int64_t kLineElements = 16;  // float32 elements of a cache line

int64_t whole_lines(int64_t elements) { return pieces(elements, kLineElements) * kLineElements; }

bool are_transformed(const TileContraction& c) { return c.transformed >= 0; }

// Patches that have as many products as the rows of a tile, if they are squares: flat ones have fewer products, with
// the same number of weights, which each block of patches reads.
int64_t patches_of_tile(const TileContraction& c) {
  return c.shape.mr * (c.winograd.flat ? int64_t(rt::winograd::window(c.winograd)) : 1);
}

// The groups of channels that are convolved by themselves.
int64_t batch_of(const TileContraction& c) { return std::max<int64_t>(1, points(c.batch).constant()); }

int64_t most_patches(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  const auto& tuning = view.tuning();
  return (are_transformed(c) ? tuning.winograd_shared_tiles : tuning.winograd_tiles) * patches_of_tile(c);
}

// At least `least` blocks, but more, which read the weights more often, if at least a tenth fewer tiles result: a few
// rows take longer than their share.
int64_t blocks_of_full_tiles(int64_t patches, int64_t least, int64_t tile) {
  const auto tiles = [&](int64_t blocks) { return blocks * pieces(pieces(patches, blocks), tile); };
  int64_t best = least;
  for (int64_t blocks = least + 1; blocks <= std::min(2 * least, pieces(patches, tile)); blocks++)
    if (10 * tiles(blocks) <= 9 * tiles(least) && tiles(blocks) < tiles(best)) best = blocks;
  return best;
}

// Panels of a unit, so that there are so many groups of them.
int64_t panels_of_groups(int64_t panels, int64_t groups) { return std::max<int64_t>(1, panels / groups); }

// Blocks of patches whose inputs are shared. Each block reads the weights, and each group of panels the inputs: the
// number of blocks is that with which units for many threads read the least.
int64_t blocks_of_shared_patches(const KernelView& view, int64_t patches, int64_t panels) {
  const TileContraction& c = *view.kernel.contraction;
  const int64_t units = view.tuning().winograd_units;
  const auto columns_and_patches_read = [&](int64_t blocks) {
    const int64_t groups = pieces(panels, panels_of_groups(panels, pieces(units, blocks)));
    return blocks * panels * c.shape.nr + groups * patches;
  };
  const int64_t least = std::max(pieces(patches, most_patches(view)), pieces(units, panels));
  const int64_t most = std::max<int64_t>(1, patches / std::max<int64_t>(patches_of_tile(c) / 2, 1));
  int64_t best = std::min(least, most);
  for (int64_t blocks = best + 1; blocks <= std::min(units, most); blocks++)
    if (columns_and_patches_read(blocks) < columns_and_patches_read(best)) best = blocks;
  return best;
}

// A block has as many patches as fill some tiles, because each block reads all weights, but few enough to leave units
// for many threads: groups of panels are units, too, but each of them transforms its inputs again. It has half a tile
// if whole tiles and panels would leave too few units.
int64_t blocks_of_own_patches(const KernelView& view, int64_t patches, int64_t panels) {
  const auto& tuning = view.tuning();
  const int64_t tile = patches_of_tile(*view.kernel.contraction);
  const int64_t units = pieces(tuning.winograd_units, batch_of(*view.kernel.contraction));
  const int64_t groups = std::clamp(panels / tuning.winograd_panels, int64_t(1), tuning.winograd_groups);
  const int64_t least = patches / tile * panels < units ? std::max<int64_t>(tile / 2, 1) : tile;
  return std::max({pieces(patches, most_patches(view)), std::min(pieces(units, groups), patches / least), int64_t(1)});
}

IndexExpr blocks_of_patches(const KernelView& view, const WinogradPlan& plan) {
  const TileContraction& c = *view.kernel.contraction;
  if (!plan.patches.is_constant()) return ir::ceildiv(plan.patches, most_patches(view));
  const int64_t patches = plan.patches.constant(), panels = plan.panels.constant();
  const int64_t blocks = are_transformed(c) ? blocks_of_shared_patches(view, patches, panels)
                                            : blocks_of_own_patches(view, patches, panels);
  return blocks_of_full_tiles(patches, blocks, patches_of_tile(c));
}

// All panels, unless that leaves too few units for many threads (of shared inputs, more units cost little), or units of
// other blocks of patches, which run next, would not find the panels in the last-level cache.
int64_t winograd_panels(const KernelView& view, const WinogradPlan& plan) {
  const auto& tuning = view.tuning();
  if (!view.kernel.contraction->batch.empty()) return plan.panels.constant();
  const int64_t panels = plan.panels.constant(), blocks = constant_or(plan.blocks, tuning.winograd_units);
  const int64_t groups = pieces(tuning.winograd_units, blocks);
  if (are_transformed(*view.kernel.contraction)) return panels_of_groups(panels, groups);
  const int64_t bytes = view.kernel.contraction->panel_elements.constant() * int64_t(sizeof(float));
  const int64_t cached = view.target.l3_bytes / tuning.winograd_l3_share / std::max<int64_t>(bytes, 1);
  const int64_t most = blocks > 1 && view.target.l3_bytes > 0 ? std::min(panels, cached) : panels;
  return std::min(panels, std::max(tuning.winograd_panels, std::min(most, pieces(panels, groups))));
}

// Groups of few channels are transformed together, because finding the points of a patch takes longer than a few
// vectors of each; more of them in a unit would gain nothing and take more of the cache.
int64_t batch_per_unit(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  if (c.batch.empty()) return 1;
  const int64_t channels = std::max<int64_t>(1, c.k.extent.constant());
  return std::min(batch_of(c), pieces(view.tuning().winograd_channels, channels));
}

// The number of panels whose sums leave room in the second-level cache for what is read between two uses of them. The
// inputs of a product are read once for all of these panels.
int64_t panels_at_once(const KernelView& view, const WinogradPlan& plan, int64_t products) {
  const int64_t bytes = products * plan.sums_plane * int64_t(sizeof(float));
  return std::clamp(view.target.l2_bytes / view.tuning().winograd_sums_share / bytes, int64_t(1), plan.panels_per_unit);
}

void plan_patches(const TileContraction& c, WinogradPlan& w) {
  const size_t directions = c.taps.size();
  const auto side_along = [&](const ir::Loop& taps) { return taps.extent.is_constant(1) ? 1 : c.winograd.side; };
  w.side_across = side_along(c.taps.back());
  w.across = ir::ceildiv(c.rows.back().extent, w.side_across);
  if (directions == 2) {
    w.side_down = side_along(c.taps[0]);
    w.down = ir::ceildiv(c.rows[c.rows.size() - 2].extent, w.side_down);
  }
  w.patches = w.down * w.across;
  for (size_t i = 0; i + directions < c.rows.size(); i++) w.patches = c.rows[i].extent * w.patches;
}

PlannedKernel plan_winograd(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  const int64_t products = rt::winograd::products(c.winograd), nr = c.shape.nr;
  WinogradPlan w;
  plan_patches(c, w);
  w.panels = ir::ceildiv(c.columns.extent, nr);
  w.blocks = blocks_of_patches(view, w);
  w.most_patches = w.patches.is_constant() ? std::max<int64_t>(1, pieces(w.patches.constant(), w.blocks.constant()))
                                           : most_patches(view);
  w.panels_per_unit = winograd_panels(view, w);
  w.rows_outside =
      panels_stay_in_cache(view, w.panels * batch_of(c)) || (are_transformed(c) && constant_or(w.blocks, 1) > 1);
  w.batch_per_unit = batch_per_unit(view);
  w.groups = ir::ceildiv(w.panels, w.panels_per_unit) * pieces(batch_of(c), w.batch_per_unit);
  const int64_t K = c.k.extent.constant() * w.batch_per_unit;
  // Rows an odd number of lines apart map to different sets of the first-level cache, and so do products.
  w.input_row = (whole_lines(K) / kLineElements | 1) * kLineElements;
  w.input_plane = w.most_patches * w.input_row + kLineElements;
  if (are_transformed(c)) {
    const auto& shape = view.program().buffer(c.transformed).shape;
    w.input_row = shape[2].constant(), w.input_plane = (shape[1] * shape[2]).constant();
  }
  w.sums_plane = whole_lines(w.most_patches * nr) + kLineElements;
  w.panels_at_once = panels_at_once(view, w, products);

  PlannedKernel plan;
  plan.units = w.blocks * w.groups;
  plan.unit_work =
      std::max<int64_t>(products * K * w.most_patches * w.panels_per_unit * nr / view.tuning().products_per_element, 1);
  const int64_t inputs = are_transformed(c) ? 0 : w.input_plane;
  plan.scratch_bytes = products * (inputs + w.panels_at_once * w.sums_plane) * int64_t(sizeof(float));
  const BufferId left = are_transformed(c) ? c.transformed : c.left->buffer;
  plan.read_by_all = w.rows_outside ? -1 : left, plan.column_groups = w.groups;
  plan.form = std::make_unique<WinogradPlan>(std::move(w));
  return plan;
}

}  // namespace

Form winograd_form() {
  return {"winograd", [](const KernelView& view) { return is_contraction(view, "winograd"); }, plan_winograd};
}

}  // namespace cppgen::forms
