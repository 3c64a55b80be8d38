#include <fmt/format.h>

#include <algorithm>

#include "cppgen/forms/winograd/plan.h"
#include "cppgen/kernel/view.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::forms {

std::string WinogradPlan::fault(const KernelView& view) const {
  const schedule::TileContraction& c = *view.kernel.contraction;
  if (c.winograd.side == 0) return "its panels are not transformed";
  if (c.taps.empty() || c.taps.size() > 2 || c.rows.size() < c.taps.size())
    return fmt::format("patches of {} loops of rows and {} of taps", c.rows.size(), c.taps.size());
  if (panels_at_once > std::max<int64_t>(panels_per_unit, 1))
    return fmt::format("{} of {} panels at once", panels_at_once, panels_per_unit);
  if (batch_per_unit < 1) return fmt::format("{} groups of channels in a unit", batch_per_unit);
  if (input_plane < most_patches * input_row || sums_plane < most_patches * c.shape.nr)
    return fmt::format("{} patches overlap in scratch memory", most_patches);
  return "";
}

}  // namespace cppgen::forms
