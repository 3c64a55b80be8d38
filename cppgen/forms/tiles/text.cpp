#include <fmt/format.h>

#include "cppgen/forms/tiles/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

template <class V>
void fields(V& v, TilesPlan::Blocks& blocks) {
  auto& [k_blocks, tiles, prepared_bytes, weight_bytes, least_tiles] = blocks;
  auto& [count, taps, k, panel_bytes] = k_blocks;
  v("count", count);
  v("taps", taps);
  v("k", k);
  v("panel_bytes", panel_bytes, 0);
  v("tiles", tiles);
  v("prepared_bytes", prepared_bytes, 0);
  v("weight_bytes", weight_bytes, 0);
  v("least_tiles", least_tiles, 0);
}

std::string TilesPlan::describe() const {
  return fmt::format(
      "tiles: {} panels in a unit{}{}{}{}{}{}{}{}", panels_per_unit, batch_inside ? ", batches inside" : "",
      !rows_outside         ? ""
      : tiles_together == 1 ? ", rows outside"
                            : fmt::format(", rows outside, {} tiles together", tiles_together),
      fetches_ahead ? ", the next panels prefetched" : "",
      blocks ? fmt::format(", {} tiles of rows, K in {} blocks", blocks->tiles, blocks->k_blocks.count) : "",
      even_rows ? ", evenly spaced rows" : "", end ? ", finished by prebuilt tiles" : "",
      computed_row != 0 ? ", computed rows" : "", transposed ? ", transposed results" : "",
      rows_ahead != 0 || !epilogue_ahead.empty() ? ", the next rows prefetched" : "");
}

void TilesPlan::print(FieldPrinter& v) {
  auto& [tiles, panels, panels_per_unit, blocks, batch_inside, rows_outside, tiles_together, fetches_ahead, even_rows,
         computed_row, batch_distance, transposed, transposed_side, row_counts, row_counts_are_all, rows_ahead,
         epilogue_ahead, width, end] = *this;
  v("tiles", tiles);
  v("panels", panels);
  v("panels_per_unit", panels_per_unit);
  v.maybe("blocks", blocks);
  v("batch_inside", batch_inside, false);
  v("rows_outside", rows_outside, false);
  v("tiles_together", tiles_together, 1);
  v("fetches_ahead", fetches_ahead, false);
  v("even_rows", even_rows, false);
  v("computed_row", computed_row, 0);
  v("batch_distance", batch_distance, 0);
  v("transposed", transposed, false);
  v("transposed_side", transposed_side, 1);
  v("rows_ahead", rows_ahead, 0);
  std::vector<ir::BufferId> ahead;
  for (const Ahead& a : epilogue_ahead) ahead.push_back(a.buffer);
  v.buffers("epilogue_ahead", ahead);
  v("row_counts", row_counts, {});
  v("row_counts_are_all", row_counts_are_all, false);
  if (width) v("width", *width);
  if (end) v("end", end->number);
}

}  // namespace cppgen::forms
