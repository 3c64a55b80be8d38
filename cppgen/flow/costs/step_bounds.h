#pragma once
#include <string_view>

#include "cppgen/flow/costs/plan_costs.h"
#include "cppgen/schedule/costs.h"

namespace cppgen {

struct MachinePeaks;

// The least time in which a machine can execute a step once, and the time that it is expected to take.
struct StepBound {
  double arithmetic_ns = 0;  // its multiply-adds, divisions and functions, without any other operations
  double memory_ns = 0;      // to read and write each byte once
  double predicted_ns = 0;
  std::string_view level;  // where most of these bytes come from: a name of MachinePeaks::levels

  // Parts of predicted_ns; the rest are its instructions.
  double start_ns = 0;     // to begin the step, together with the other threads, and to wait for them at its end
  double idle_ns = 0;      // until the thread with the most chunks has finished
  double exchange_ns = 0;  // for data in the caches of other threads
  double waiting_ns = 0;   // for all other data

  double ns() const { return arithmetic_ns > memory_ns ? arithmetic_ns : memory_ns; }
  std::string_view by() const { return arithmetic_ns > memory_ns ? "arithmetic" : level; }
};

// States how the threads share a step.
struct StepSharing {
  double busy = 1;              // the part of their time in which they work, because chunks are not divided
  double readers = 1;           // threads that read each byte of constants
  double caches = 1;            // last-level caches that read it from memory
  double exchanged = 0;         // bytes that caches of other threads hold
  double further_start_ns = 0;  // of a step, besides what two threads need
};

// Constants are read from the level that holds all data of a run, because everything else is used before they are
// needed again; other buffers from the level that holds those of the step, because the step before may have just
// written them. `level` refers to the peaks, which are those of the threads.
StepBound bound_of(const StepCost&, double run_bytes, const MachinePeaks&, const schedule::Costs&, const StepSharing&);

// The time with as many chunks for each thread as possible, of which each reads other constants.
StepBound bound_of(const StepCost&, double run_bytes, const MachinePeaks&, const schedule::Costs&);

}  // namespace cppgen
