#include <algorithm>

#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

// One loop in place of several, and their positions as expressions of its variable.
struct Merged {
  Loop loop;
  ir::IndexMap positions;
};

Merged merged(const ir::Program& program, const std::vector<Loop>& rows) {
  Merged m;
  const IndexExpr extent = points(rows);
  m.loop = {program.index->loop("row", extent), extent};
  IndexExpr rest = m.loop.var;
  for (size_t i = rows.size(); i-- > 0;) {
    m.positions[rows[i].var.node()] = i == 0 ? rest : ir::mod(rest, rows[i].extent);
    rest = ir::floordiv(rest, rows[i].extent);
  }
  return m;
}

bool is_even(IndexExpr offset, const Merged& m) {
  return ir::stride_of(ir::substitute(offset, m.positions), m.loop.var.node()).has_value();
}

bool depends_on_any(IndexExpr e, const std::vector<Loop>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const Loop& l) { return ir::depends_on(e, l.var.node()); });
}

// Returns whether a load's address has a constant stride along the rows, and nothing else in it depends on them.
bool is_even(const ir::Program& program, const Layouts& layouts, Expr load, const std::vector<Loop>& rows,
             const Merged& m) {
  for (const auto& g : load->guards)
    if (depends_on_any(g.index, rows) || depends_on_any(g.lo, rows) || depends_on_any(g.hi, rows)) return false;
  if (!load->indirects.empty()) return false;
  return is_even(offset_of(program, layouts, load), m);
}

bool epilogue_is_even(const ir::Program& program, const Layouts& layouts, const std::vector<ir::Store>& stores,
                      const std::vector<Loop>& rows, const Merged& m) {
  for (const auto& s : stores)
    if (!is_even(offset_of(program.buffer(s.buffer), layouts[size_t(s.buffer)], s.indices), m)) return false;
  for (Expr e : values_of(stores)) {
    if (e->kind == ir::ExprKind::load && !is_even(program, layouts, e, rows, m)) return false;
    if (e->kind == ir::ExprKind::index && depends_on_any(e->indices[0], rows)) return false;
  }
  return true;
}

void merge_rows_of(const ir::Program& program, const Layouts& layouts, FusedKernel& kernel) {
  TileContraction& c = *kernel.contraction;
  Segment& epilogue = kernel.segments[0];
  if (c.rows.size() < 2) return;
  const Merged m = merged(program, c.rows);
  ir::Rewrite rewrite;
  rewrite.indices = m.positions;
  if (epilogue_is_even(program, layouts, epilogue.stores, epilogue.loops, m)) {
    epilogue.loops = {m.loop};
    ir::rewrite(*program.exprs, epilogue, rewrite);
  }
  const auto even = [&](Expr load) { return is_even(program, layouts, load, c.rows, m); };
  const std::vector<Expr> loads = loads_of(c);
  if (c.form == kTilesForm && std::all_of(loads.begin(), loads.end(), even)) {
    ir::rewrite(*program.exprs, c, rewrite);
    c.rows = {m.loop};
  }
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
