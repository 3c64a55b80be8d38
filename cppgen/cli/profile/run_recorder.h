#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/session/trace_slice.h"

namespace cppgen {

// The activity of one thread in the recorded runs.
struct ThreadTime {
  double busy_ns = 0;  // in chunks of steps
  int64_t chunks = 0;
};

using ThreadTimes = std::map<int, ThreadTime>;  // by thread of the operating system

// The time of the busiest thread divided by the mean over `threads` threads, of which idle ones may be missing from the
// map; 1 if nothing ran.
double imbalance_of(const ThreadTimes&, int threads);

struct RecordedRun {
  double begin_s = 0, end_s = 0;  // of the steady clock
  std::vector<rt::TraceSlice> slices;
};

// Listens to the chunks of a session's runs: sums the times of each thread for each step, and keeps the chunks of
// single runs.
class RunRecorder {
 public:
  rt::ChunkListener listener() {
    return [this](std::span<const std::vector<rt::TraceSlice>> slices) { add(slices); };
  }

  void clear();                                                          // the sums
  const std::vector<ThreadTimes>& steps() const { return step_times_; }  // up to the last step that ran

  // Calls `run`, which runs the model once, and returns its chunks.
  template <class Run>
  RecordedRun record(const Run& run) {
    kept_.clear(), keep_ = true;
    RecordedRun result;
    result.begin_s = now_s();
    run();
    result.end_s = now_s();
    keep_ = false;
    result.slices = std::move(kept_);
    return result;
  }

 private:
  std::mutex mutex_;
  std::vector<ThreadTimes> step_times_;
  std::vector<rt::TraceSlice> kept_;
  bool keep_ = false;

  void add(std::span<const std::vector<rt::TraceSlice>> slices);
  static double now_s();
};

}  // namespace cppgen
