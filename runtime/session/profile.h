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
  double ns = 0;  // from the start of the first chunk to the end of the last one
  // As the plan states them (Step): arithmetic, vector instructions, memory traffic; and chunks.
  double flops = 0, products = 0, compounds = 0, functions = 0, instructions = 0;
  double bytes = 0, exchanged = 0, chunks = 0;

  // What was added since the earlier profile of the same step.
  StepProfile since(const StepProfile& before) const {
    return {calls - before.calls,
            ns - before.ns,
            flops - before.flops,
            products - before.products,
            compounds - before.compounds,
            functions - before.functions,
            instructions - before.instructions,
            bytes - before.bytes,
            exchanged - before.exchanged,
            chunks - before.chunks};
  }
  double gflops_per_second() const { return ns > 0 ? flops / ns : 0; }
  double gb_per_second() const { return ns > 0 ? bytes / ns : 0; }
};

// A table: time, share, GFLOP/s and GB/s per step, the slowest first. Steps have these labels, or their names.
std::string profile_text(const Plan& plan, std::span<const StepProfile> profile,
                         std::span<const std::string> labels = {});

}  // namespace cppgen::rt
