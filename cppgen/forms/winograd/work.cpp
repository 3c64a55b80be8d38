#include <algorithm>

#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/winograd/plan.h"
#include "cppgen/kernel/instructions.h"
#include "cppgen/schedule/costs.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::forms {
namespace {

using schedule::TileContraction;

// The instructions that read, transform and write the vectors of patches, in both directions.
IndexExpr transforming_instructions(const KernelView& view, const TileContraction& c, const WinogradPlan& plan) {
  const int64_t lanes = view.target.lanes, products = rt::winograd::products(c.winograd);
  IndexExpr inputs = 0;
  if (c.transformed < 0) inputs = ir::ceildiv(c.k.extent, lanes) * ir::ceildiv(plan.panels, plan.panels_per_unit);
  return costs_of(view.target).winograd_element * products * plan.patches * points(c.batch) *
         (inputs + ir::ceildiv(c.columns.extent, lanes));
}

// The elements of the panels that products read: not the original taps behind transformed ones.
IndexExpr panels_read(const ir::Buffer& packed, const TileContraction& c) {
  const int64_t products = rt::winograd::products(c.winograd);
  return ir::ceildiv(ir::product(packed.shape) * products, products + int64_t(rt::winograd::direct_taps(c.winograd)));
}

}  // namespace

KernelWork WinogradPlan::work(const KernelView& view) const {
  KernelWork work;
  const TileContraction& c = *view.kernel.contraction;
  const int64_t products = rt::winograd::products(c.winograd), lanes = view.target.lanes;
  const IndexExpr rows = products * patches * points(c.batch);
  work.flops = 2 * rows * c.k.extent * c.columns.extent;
  work.products = rows * panels * c.k.extent * std::max<int64_t>(1, c.shape.nr / lanes);
  set_instructions(work, epilogue_instructions(view, c.batch, c.columns));
  work.instructions = work.instructions + transforming_instructions(view, c, *this) +
                      costs_of(view.target).sums_through_memory * rows * ir::ceildiv(c.columns.extent, lanes);
  work.bytes = bytes_of_contraction(view, panels_read(view.program().buffer(c.packed), c));
  return work;
}

}  // namespace cppgen::forms
