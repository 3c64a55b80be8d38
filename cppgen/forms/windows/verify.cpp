#include <fmt/format.h>

#include "cppgen/forms/windows/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

std::string WindowsPlan::fault(const KernelView& view) const {
  const auto& outer = view.kernel.outer;
  if (outer.size() < 2) return "no loop has windows side by side";
  if (const IndexExpr extent = outer[outer.size() - 2].extent; extent.is_constant() && extent.constant() < vectors)
    return fmt::format("{} of {} windows are side by side", vectors, extent.constant());
  return ColumnsPlan::fault(view);
}

}  // namespace cppgen::forms
