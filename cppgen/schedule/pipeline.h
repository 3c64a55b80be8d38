#pragma once
#include <span>

#include "cppgen/schedule/draft.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen::schedule {

// One pass over a schedule in the making.
struct Pass {
  const char* name;
  void (*run)(Draft&);
  bool needed = false;              // without it no schedule comes about; all others only make it better
  bool Options::*option = nullptr;  // the pass is left out where this option is off; null: it has none
};

// Those that rewrite the program alone, before anything has a layout.
std::span<const Pass> fusion_passes();
// Those that follow: layouts, engines, kernels.
std::span<const Pass> kernel_passes();

// Runs the passes in their order. After each, the program, or, once there are steps, the schedule is verified
// (verify.h), and `trace` is called. InternalError with the name of the pass that broke a rule.
void run_passes(std::span<const Pass>, Draft&, const Trace& trace = {});

}  // namespace cppgen::schedule
