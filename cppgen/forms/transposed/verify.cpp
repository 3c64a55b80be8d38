#include <fmt/format.h>

#include "cppgen/forms/transposed/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

std::string TransposedPlan::fault(const KernelView& view) const {
  if (side < 1) return fmt::format("tiles with sides of {}", side);
  if (view.kernel.transpose_loop < 0) return "no loop is transposed";
  if (width < side) return fmt::format("units of {} columns have no tile of {}", width, side);
  if (moves && loads.size() != 1) return fmt::format("rows of {} tiles are moved", loads.size());
  return "";
}

}  // namespace cppgen::forms
