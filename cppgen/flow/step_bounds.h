#pragma once
#include <string_view>

#include "cppgen/flow/plan_costs.h"

namespace cppgen {

struct MachinePeaks;

// The least time in which a machine can execute a step once, and the time that it is expected to take.
struct StepBound {
  double arithmetic_ns = 0;  // its multiply-adds, divisions and functions, without any other operations
  double memory_ns = 0;      // to read and write each byte once
  double predicted_ns = 0;
  std::string_view level;  // where most of these bytes come from: a name of MachinePeaks::levels

  double ns() const { return arithmetic_ns > memory_ns ? arithmetic_ns : memory_ns; }
  std::string_view by() const { return arithmetic_ns > memory_ns ? "arithmetic" : level; }
};

// Constants are read from the level that holds all data of a run, because everything else is used before they are
// needed again; other buffers from the level that holds those of the step, because the step before may have just
// written them. `level` refers to the peaks.
StepBound bound_of(const StepCost&, double run_bytes, const MachinePeaks&);

}  // namespace cppgen
