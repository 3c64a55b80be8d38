#include <fmt/format.h>

#include "cppgen/forms/tiles/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

std::string TilesPlan::fault(const KernelView& view) const {
  const rt::TileShape shape = view.kernel.contraction->shape;
  if (panels_per_unit < 1) return fmt::format("{} panels in a unit", panels_per_unit);
  if (blocks && (blocks->tiles < 1 || blocks->k_blocks.count < 1))
    return fmt::format("blocks of {} tiles, and K in {}", blocks->tiles, blocks->k_blocks.count);
  for (const int64_t rows : row_counts)
    if (rows < 0 || rows > shape.mr) return fmt::format("tiles of {} rows, more than {}", rows, shape.mr);
  if (width && *width > shape.nr) return fmt::format("tiles of {} columns, more than {}", *width, shape.nr);
  if (batch_distance != 0 && !batch_inside) return "pointers move to units that are no neighbours";
  if (fetches_ahead && !rt::tiles_prefetch(view.kernel.contraction->format)) return "tiles that do not prefetch panels";
  if (even_rows && !view.kernel.contraction->in_registers) return "functions of the runtime have no evenly spaced rows";
  return "";
}

}  // namespace cppgen::forms
