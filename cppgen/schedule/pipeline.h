#pragma once
#include <span>

#include "cppgen/schedule/draft.h"
#include "cppgen/schedule/schedule.h"

namespace cppgen::schedule {

// One pass over an unfinished schedule.
struct Pass {
  const char* name;
  void (*run)(Draft&);
  bool needed = false;              // no schedule can be made without it; the others only improve the schedule
  bool Options::*option = nullptr;  // the pass is skipped if this option is off; null: it always runs
};

// The passes over a whole program, which settings ask for: they change what values are computed from.
std::span<const Pass> program_passes();
// The passes that follow them: they rewrite the program, before its buffers have layouts.
std::span<const Pass> fusion_passes();
// The passes that follow them: they choose layouts and engines, and make kernels.
std::span<const Pass> kernel_passes();

// Runs the passes in their order. After each of them the program is verified, or the schedule once there are steps
// (verify.h), and `trace` is called. A broken rule is an InternalError that names the pass.
void run_passes(std::span<const Pass>, Draft&, const Trace& trace = {});

}  // namespace cppgen::schedule
