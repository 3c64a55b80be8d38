#include "cppgen/cli/profile/run_recorder.h"

#include <algorithm>

#include "cppgen/cli/shared/command_support.h"

namespace cppgen {

double imbalance_of(const ThreadTimes& times, int threads) {
  double most = 0, sum = 0;
  for (const auto& [id, thread] : times) most = std::max(most, thread.busy_ns), sum += thread.busy_ns;
  return sum > 0 ? most * double(std::max(threads, int(times.size()))) / sum : 1;
}

void RunRecorder::clear() {
  const std::lock_guard lock(mutex_);
  step_times_.clear();
}

void RunRecorder::add(std::span<const std::vector<rt::TraceSlice>> slices) {
  const std::lock_guard lock(mutex_);
  for (const auto& of_worker : slices)
    for (const rt::TraceSlice& slice : of_worker) {
      if (slice.step >= step_times_.size()) step_times_.resize(slice.step + 1);
      ThreadTime& time = step_times_[slice.step][slice.thread];
      time.busy_ns += double(slice.end_ns - slice.begin_ns - slice.inside_ns);
      time.chunks++;
      if (keep_) kept_.push_back(slice);
    }
}

double RunRecorder::now_s() { return seconds_now(); }

}  // namespace cppgen
