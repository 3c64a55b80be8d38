#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen::rt {

// What ENABLE_KERNEL_PROFILE measures, per step of the plan, summed over runs.
struct StepProfile {
  int64_t calls = 0;
  double ns = 0;     // from the first chunk's begin to the last chunk's end
  double flops = 0;  // arithmetic, as the plan states it
  double bytes = 0;  // memory traffic, likewise

  double gflops_per_second() const { return ns > 0 ? flops / ns : 0; }
  double gb_per_second() const { return ns > 0 ? bytes / ns : 0; }
};

// A table: time, share, GFLOP/s and GB/s per step, the slowest first.
std::string profile_text(const Plan& plan, std::span<const StepProfile> profile);

// The same as a list of objects.
std::string profile_json(const Plan& plan, std::span<const StepProfile> profile);

}  // namespace cppgen::rt
