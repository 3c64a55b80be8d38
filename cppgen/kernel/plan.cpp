#include "cppgen/kernel/plan.h"

#include <fmt/format.h>

#include "cppgen/kernel/forms.h"
#include "cppgen/kernel/work.h"

namespace cppgen::kernel {
namespace {

using schedule::KernelKind;

std::string side_by_side(int64_t count, const char* what) {
  return count > 1 ? fmt::format(", {} {} side by side", count, what) : "";
}

std::string describe(const RowsPlan& p) { return fmt::format("rows: {} accumulators per reduction", p.accumulators); }
std::string describe(const ColumnsPlan& p) {
  return fmt::format("columns: blocks of {}{}{}{}", p.block, side_by_side(p.vectors, "vectors"),
                     side_by_side(p.chains, "chains of operations"),
                     p.interleaved > 1 ? fmt::format(", {} interleaved", p.interleaved) : "");
}
std::string describe(const WindowsPlan& p) {
  return fmt::format("windows: blocks of {}{}{}", p.block, side_by_side(p.vectors, "windows"),
                     p.inside ? "" : ", with bounds checks at each point");
}
std::string describe(const TransposedPlan& p) {
  return fmt::format("transposed: tiles of {0} x {0}, {1} columns in a unit", p.side, p.width);
}
std::string describe(const TilesPlan& p) {
  return fmt::format(
      "tiles: {} panels in a unit{}{}{}{}{}", p.panels_per_unit, p.batch_inside ? ", batches inside" : "",
      p.rows_outside ? ", rows outside" : "",
      p.blocks ? fmt::format(", {} tiles of rows, the depth in {} blocks", p.blocks->tiles, p.blocks->depth.count) : "",
      p.even_rows ? ", evenly spaced rows" : "", p.transposed ? ", transposed results" : "");
}
std::string describe(const WinogradPlan& p) {
  return fmt::format("winograd: {} patches and {} panels in a unit, of which {} at once{}", p.most_patches,
                     p.panels_per_unit, p.panels_at_once, p.rows_outside ? ", rows outside" : "");
}
std::string describe(const AttentionPlan& p) {
  return fmt::format("attention: blocks of {} keys, {} panels of queries in a unit{}{}", p.key_block,
                     ir::to_string(p.panels_at_once), p.may_be_few ? ", few rows one at a time" : "",
                     p.hidden ? ", masked keys skipped" : "");
}

KernelPlan plan_form(const KernelView& view) {
  if (view.kernel.kind == KernelKind::attention) return plan_attention(view);
  if (view.kernel.kind == KernelKind::contraction)
    return view.kernel.contraction->winograd.side != 0 ? plan_winograd(view) : plan_tiles(view);
  if (is_transposed(view)) return plan_transposed(view);
  if (!view.kernel.vector_outer) return plan_rows(view);
  return slides_windows(view) ? plan_windows(view) : plan_columns(view);
}

}  // namespace

KernelPlan plan_kernel(const KernelView& view) {
  KernelPlan plan = plan_form(view);
  plan.work = work_of(view, plan);
  return plan;
}

bool divides_columns(const KernelPlan& plan) {
  if (const auto* tiles = std::get_if<TilesPlan>(&plan.form)) return !tiles->rows_outside;
  const auto* winograd = std::get_if<WinogradPlan>(&plan.form);
  return winograd && !winograd->rows_outside;
}

IndexExpr column_groups(const KernelPlan& plan) {
  if (const auto* tiles = std::get_if<TilesPlan>(&plan.form)) return ir::ceildiv(tiles->panels, tiles->panels_per_unit);
  const auto* winograd = std::get_if<WinogradPlan>(&plan.form);
  return winograd ? winograd->groups : IndexExpr(1);
}

std::string to_string(const KernelPlan& plan) {
  const std::string form = std::visit([](const auto& p) { return describe(p); }, plan.form);
  std::string text =
      fmt::format("{}; {} units of {} elements", form, ir::to_string(plan.units), ir::to_string(plan.unit_work));
  if (!plan.scratch_bytes.is_constant(0))
    text += fmt::format(", {} bytes of scratch", ir::to_string(plan.scratch_bytes));
  return text;
}

}  // namespace cppgen::kernel
