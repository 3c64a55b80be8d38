#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/session/trace_slice.h"

namespace cppgen {

// What one thread did in the recorded runs.
struct ThreadTime {
  double busy_ns = 0;  // in chunks of steps
  int64_t chunks = 0;
};

struct RecordedRun {
  double begin_s = 0, end_s = 0;  // of the steady clock
  std::vector<rt::TraceSlice> slices;
};

// Listens to the chunks of a session's runs: sums the times of each thread, and keeps the chunks of single runs.
class RunRecorder {
 public:
  rt::ChunkListener listener() {
    return [this](std::span<const std::vector<rt::TraceSlice>> slices) { add(slices); };
  }

  void clear();                                                          // the sums
  const std::map<int, ThreadTime>& threads() const { return threads_; }  // by thread of the operating system

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
  std::map<int, ThreadTime> threads_;
  std::vector<rt::TraceSlice> kept_;
  bool keep_ = false;

  void add(std::span<const std::vector<rt::TraceSlice>> slices);
  static double now_s();
};

}  // namespace cppgen
