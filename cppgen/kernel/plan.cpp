#include "cppgen/kernel/plan.h"

#include <fmt/format.h>

namespace cppgen::kernel {

std::string to_string(const KernelPlan& plan) {
  std::string text = fmt::format("{}; {} units of {} elements", plan.description, ir::to_string(plan.units),
                                 ir::to_string(plan.unit_work));
  if (!plan.scratch_bytes.is_constant(0))
    text += fmt::format(", {} bytes of scratch", ir::to_string(plan.scratch_bytes));
  return text;
}

}  // namespace cppgen::kernel
