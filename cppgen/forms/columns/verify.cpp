#include <fmt/format.h>

#include "cppgen/forms/columns/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

std::string ColumnsPlan::fault(const KernelView& view) const {
  if (block < 1 || vectors < 1 || chains < 1)
    return fmt::format("blocks of {}, {} vectors and {} chains side by side", block, vectors, chains);
  if (interleaved > 1 && view.kernel.outer.size() < 2)
    return fmt::format("{} points of a loop before the only one are interleaved", interleaved);
  return LoopsPlan::fault(view);
}

}  // namespace cppgen::forms
