#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// The measurements of ENABLE_KERNEL_PROFILE per step of the plan, summed over runs.
struct StepProfile {
  int64_t calls = 0;
  double ns = 0;                            // from the start of the first chunk to the end of the last one
  double flops = 0, bytes = 0, chunks = 0;  // as the plan states them (Step); and chunks
  StepCosts<double> costs;                  // likewise

  // The difference to the earlier profile of the same step.
  StepProfile since(const StepProfile& before) const {
    StepProfile added{calls - before.calls, ns - before.ns,         flops - before.flops,
                      bytes - before.bytes, chunks - before.chunks, costs};
    each_cost([](const char*, double& sum, double earlier) { sum -= earlier; }, added.costs, before.costs);
    return added;
  }
  double gflops_per_second() const { return ns > 0 ? flops / ns : 0; }
  double gb_per_second() const { return ns > 0 ? bytes / ns : 0; }
};

// A table: time, share, GFLOP/s and GB/s per step, the slowest first. Steps have these labels, or their names.
std::string profile_text(const Plan& plan, std::span<const StepProfile> profile,
                         std::span<const std::string> labels = {});

}  // namespace cppgen::rt
