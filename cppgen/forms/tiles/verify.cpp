#include <fmt/format.h>

#include "cppgen/forms/tiles/plan.h"
#include "cppgen/kernel/view.h"
#include "vec/generic/tile_ends.h"

namespace cppgen::forms {

std::string TilesPlan::fault(const KernelView& view) const {
  const schedule::TileContraction& c = *view.kernel.contraction;
  const rt::TileShape shape = c.shape;
  if (panels_per_unit < 1) return fmt::format("{} panels in a unit", panels_per_unit);
  if (blocks && (blocks->tiles < 1 || blocks->k_blocks.count < 1))
    return fmt::format("blocks of {} tiles, and K in {}", blocks->tiles, blocks->k_blocks.count);
  for (const int64_t rows : row_counts)
    if (rows < 0 || rows > shape.mr) return fmt::format("tiles of {} rows, more than {}", rows, shape.mr);
  if (width && *width > shape.nr) return fmt::format("tiles of {} columns, more than {}", *width, shape.nr);
  if (batch_distance != 0 && !batch_inside) return "pointers move to units that are no neighbours";
  if (fetches_ahead && !rt::tiles_prefetch(c.format)) return "tiles that do not prefetch panels";
  if (c.left_value && computed_row < constant_or(c.k.extent, 1))
    return fmt::format("computed rows of {} elements overlap", computed_row);
  if (!c.left_value && computed_row != 0)
    return fmt::format("computed rows of {} elements without a value", computed_row);
  if (rows_ahead < 0 || (rows_ahead > 0 && (!even_rows || c.left_value)))
    return fmt::format("{} bytes ahead of rows that are not contiguous in a tensor", rows_ahead);
  if (even_rows && !c.in_registers) return "functions of the runtime have no evenly spaced rows";
  if (end && (!c.in_registers || end->number < 0 || end->number >= vec::kFinishedTiles))
    return fmt::format("results that tiles {} finish", end->number);
  return "";
}

}  // namespace cppgen::forms
