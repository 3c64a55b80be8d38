#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/profile/onednn_times.h"
#include "cppgen/cli/profile/run_recorder.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/compile/peaks.h"
#include "cppgen/flow/costs/step_bounds.h"
#include "cppgen/support/hardware_counters.h"

namespace cppgen {

// The measurements of `cppgen profile`.
struct ModelProfile {
  const ReadyModel& model;
  RunTimes times;
  int64_t runs = 0;                    // those whose steps were measured
  std::vector<rt::StepProfile> steps;  // sums over these runs
  std::optional<MachinePeaks> peaks;   // unknown without a compiler
  std::vector<StepBound> bounds;       // of one call of each step, if the peaks are known

  Load load{};

  // If the runs were recorded, these are sums over the same runs, and a few more runs.
  double runs_s = 0;
  ThreadTimes threads{};                    // of all steps
  std::vector<ThreadTimes> step_threads{};  // of each step
  std::vector<HardwareCounters::Count> counts{};
  std::string no_counts{};  // why there are none
  std::vector<RecordedRun> recorded{};

  std::optional<OnednnTimes> onednn{};  // with --against

  // The times of one run, in the mean of those whose steps were measured.
  double run_ms() const { return runs_s / double(runs) * 1e3; }
  double step_ms(size_t i) const { return steps[i].ns / double(runs) / 1e6; }
  double bound_ms(size_t i) const { return bounds[i].ns() * double(steps[i].calls) / double(runs) / 1e6; }
  double predicted_ms(size_t i) const { return bounds[i].predicted_ns * double(steps[i].calls) / double(runs) / 1e6; }
  double total_ms() const {
    double total = 0;
    for (size_t i = 0; i < steps.size(); i++) total += step_ms(i);
    return total;
  }
  // busy_share: in the time of the runs.
  double busy_ms(const ThreadTime& thread) const { return thread.busy_ns / double(runs) / 1e6; }
  double busy_share(const ThreadTime& thread) const { return runs_s > 0 ? thread.busy_ns / 1e9 / runs_s : 0; }
  double chunks(const ThreadTime& thread) const { return double(thread.chunks) / double(runs); }
  double chunks_of(size_t i) const;

  // Counts all threads of the session.
  double imbalance() const { return imbalance_of(threads, model.threads()); }
  double imbalance(size_t i) const { return imbalance_of(step_threads[i], model.threads()); }
};

}  // namespace cppgen
