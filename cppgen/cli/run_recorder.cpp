#include "cppgen/cli/run_recorder.h"

#include "cppgen/cli/command_support.h"

namespace cppgen {

void RunRecorder::clear() {
  const std::lock_guard lock(mutex_);
  threads_.clear();
}

void RunRecorder::add(std::span<const std::vector<rt::TraceSlice>> slices) {
  const std::lock_guard lock(mutex_);
  for (const auto& of_worker : slices)
    for (const rt::TraceSlice& slice : of_worker) {
      ThreadTime& thread = threads_[slice.thread];
      thread.busy_ns += double(slice.end_ns - slice.begin_ns);
      thread.chunks++;
      if (keep_) kept_.push_back(slice);
    }
}

double RunRecorder::now_s() { return seconds_now(); }

}  // namespace cppgen
