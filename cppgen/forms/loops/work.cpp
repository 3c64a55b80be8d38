#include <algorithm>

#include "cppgen/forms/loops/plan.h"
#include "cppgen/kernel/accessed.h"
#include "cppgen/kernel/instructions.h"

namespace cppgen::forms {
namespace {

// A product that is added to a sum. Loops compute it in the type of the sum, narrow ones in 32 bits.
void add_loops(const KernelView& view, KernelWork& work) {
  constexpr double kLaneBytes = 4;
  for (const schedule::Segment& s : view.kernel.segments)
    for (const ir::Reduction& r : s.reductions) {
      if (!is_sum_of_products(r)) continue;
      work.flops = work.flops + 2 * points(view.kernel.outer) * points(s);
      if (view.target.lanes > 1) work.rate = std::min(work.rate, kLaneBytes / double(size_of(r.type)));
    }
}

}  // namespace

KernelWork LoopsPlan::work(const KernelView& view) const {
  KernelWork work;
  add_loops(view, work);
  set_instructions(work, loop_instructions(view, costs()));
  Accessed accessed(view);
  accessed.add_segments(view.kernel.outer);
  work.bytes = accessed.bytes();
  return work;
}

}  // namespace cppgen::forms
