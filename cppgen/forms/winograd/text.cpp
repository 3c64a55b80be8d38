#include <fmt/format.h>

#include "cppgen/forms/winograd/plan.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {

std::string WinogradPlan::describe() const {
  return fmt::format("winograd: {} patches and {} panels in a unit{}", most_patches, panels_per_unit,
                     rows_outside ? ", rows outside" : "");
}

void WinogradPlan::print(FieldPrinter& v) {
  auto& [side_down, side_across, down, across, patches, blocks, most_patches, panels, panels_per_unit, panels_at_once,
         rows_outside, batch_per_unit, groups, input_row, input_plane, sums_plane] = *this;
  v("side_down", side_down);
  v("side_across", side_across);
  v("down", down);
  v("across", across);
  v("patches", patches);
  v("blocks", blocks);
  v("most_patches", most_patches);
  v("panels", panels);
  v("panels_per_unit", panels_per_unit);
  v("panels_at_once", panels_at_once, 1);
  v("rows_outside", rows_outside, false);
  v("batch_per_unit", batch_per_unit, 1);
  v("groups", groups);
  v("input_row", input_row);
  v("input_plane", input_plane);
  v("sums_plane", sums_plane);
}

}  // namespace cppgen::forms
