#include <algorithm>

#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/merged_loop.h"
#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

bool is_even(IndexExpr offset, const MergedLoop& m) {
  return ir::stride_of(ir::substitute(offset, m.positions), m.loop.var.node()).has_value();
}

bool depends_on_any(IndexExpr e, const std::vector<Loop>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const Loop& l) { return ir::depends_on(e, l.var.node()); });
}

// Returns whether a load's address has a constant stride along the rows, and nothing else in it depends on them.
bool is_even(const ir::Program& program, const Layouts& layouts, Expr load, const std::vector<Loop>& rows,
             const MergedLoop& m) {
  for (const auto& g : load->guards)
    if (depends_on_any(g.index, rows) || depends_on_any(g.lo, rows) || depends_on_any(g.hi, rows)) return false;
  if (!load->indirects.empty()) return false;
  return is_even(offset_of(program, layouts, load), m);
}

bool epilogue_is_even(const ir::Program& program, const Layouts& layouts, const std::vector<ir::Store>& stores,
                      const std::vector<Loop>& rows, const MergedLoop& m) {
  for (const auto& s : stores)
    if (!is_even(offset_of(program.buffer(s.buffer), layouts[size_t(s.buffer)], s.indices), m)) return false;
  for (Expr e : values_of(stores)) {
    if (e->kind == ir::ExprKind::load && !is_even(program, layouts, e, rows, m)) return false;
    if (e->kind == ir::ExprKind::index && depends_on_any(e->indices[0], rows)) return false;
  }
  return true;
}

// Merges the last loops of the epilogue, as many as are even. Forms other than tiles divide images themselves.
void merge_epilogue(const ir::Program& program, const Layouts& layouts, bool tiles, Segment& epilogue) {
  for (size_t first = 0; first + 1 < (tiles ? epilogue.loops.size() : 2); first++) {
    const std::vector<Loop> rows(epilogue.loops.begin() + long(first), epilogue.loops.end());
    const MergedLoop m = merged_loop(program, rows, "row");
    if (!epilogue_is_even(program, layouts, epilogue.stores, rows, m)) continue;
    epilogue.loops.resize(first);
    epilogue.loops.push_back(m.loop);
    ir::Rewrite rewrite;
    rewrite.indices = m.positions;
    return ir::rewrite(*program.exprs, epilogue, rewrite);
  }
}

void merge_rows_of(const ir::Program& program, const Layouts& layouts, FusedKernel& kernel) {
  TileContraction& c = *kernel.contraction;
  if (c.rows.size() < 2) return;
  merge_epilogue(program, layouts, c.form == kTilesForm, kernel.segments[0]);
  const MergedLoop m = merged_loop(program, c.rows, "row");
  const auto even = [&](Expr load) { return is_even(program, layouts, load, c.rows, m); };
  const std::vector<Expr> loads = loads_of(c);
  if (c.form != kTilesForm || !std::all_of(loads.begin(), loads.end(), even)) return;
  ir::Rewrite rewrite;
  rewrite.indices = m.positions;
  ir::rewrite(*program.exprs, c, rewrite);
  c.rows = {m.loop};
}

}  // namespace

// Returns whether the contraction is a convolution that must not run as a matrix product.
static bool keeps_lines(const TileContraction& c, const Options& options) {
  return !options.conv_1x1_as_mm && !c.taps.empty() && points(c.taps).is_constant(1);
}

void merge_rows(Draft& draft) {
  for (ScheduledStep& step : draft.schedule.steps)
    if (auto* kernel = std::get_if<FusedKernel>(&step);
        kernel && kernel->contraction && !keeps_lines(*kernel->contraction, draft.options))
      merge_rows_of(draft.program(), draft.layouts(), *kernel);
}

}  // namespace cppgen::schedule
