#pragma once
#include <string>

#include "cppgen/kernel/view.h"

namespace cppgen::schedule_text {

// The plan of a kernel: `columns {units = 12, ...}`.
std::string plan_text(const kernel::KernelView&);

}  // namespace cppgen::schedule_text
