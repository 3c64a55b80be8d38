#pragma once
#include <span>
#include <string>
#include <vector>

#include "cppgen/compile/peaks.h"
#include "runtime/plan/plan.h"
#include "runtime/session/session.h"

namespace cppgen {

// The least time in which a machine with these peaks can execute a step.
struct StepBound {
  double arithmetic_ns = 0;  // of the multiply-adds of contractions, which are all that plans count
  double memory_ns = 0;      // to read and write each byte of its buffers once
  std::string_view level;    // where most of these bytes come from: a name of MachinePeaks::levels

  double ns() const { return arithmetic_ns > memory_ns ? arithmetic_ns : memory_ns; }
  bool by_arithmetic() const { return arithmetic_ns > memory_ns; }
};

// The bounds of one call of each step, from the sizes that the session's profile has seen. Constants are read from the
// level that holds all data of a run, because everything else is used before they are needed again; other buffers from
// the level that holds those of the step, because a step before it may have written them just now. A step that never
// ran has the bound 0.
std::vector<StepBound> step_bounds(const rt::Session&, std::span<const rt::StepProfile>, const MachinePeaks&);

}  // namespace cppgen
