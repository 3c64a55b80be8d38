#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace cppgen {

// Measures how much of the time of a measurement other programs took. One rule holds for all that measures (bench,
// profile, tune, peaks): a measurement on a busy machine is repeated, the least disturbed one is kept, and it is marked
// if even that one was disturbed.

// CPU seconds that were spent so far.
struct CpuUse {
  double at = 0;      // of the steady clock
  double all = 0;     // by everything, on the CPUs that this process may use
  double own = 0;     // by this process and its children that have ended
  double waited = 0;  // in which threads of this process were ready, but had no CPU
  int cpus = 1;
};
// A meter reads from here; nullopt where the system does not say, which counts as quiet. Tests have sources of their
// own.
using CpuUseSource = std::function<std::optional<CpuUse>()>;
std::optional<CpuUse> cpu_use();  // of /proc/stat, getrusage and /proc/self/task/*/schedstat

// The share of the time of so many measuring threads that other programs took between two moments, from 0 to 1: other
// programs on CPUs that no measuring thread needs take nothing.
double share_of_others(const CpuUse& begin, const CpuUse& end, int threads);

struct Load {
  double share = 0;  // of the time of the measuring threads
  bool busy() const { return share > 0.05; }
};

struct LoadRule {
  int threads = 1;                // that measure
  int attempts = 3;               // 1: nothing is repeated
  CpuUseSource source = cpu_use;  // empty: nothing is busy
  // Returns whether to measure again after this attempt (the first one is 1). Warns if it was disturbed.
  bool repeats(const Load&, int attempt) const;
};

class LoadMeter {
 public:
  explicit LoadMeter(const LoadRule&);  // begins to measure
  Load load() const;                    // since then

 private:
  const LoadRule& rule_;
  std::optional<CpuUse> begin_;
};

// Looks at the machine for a moment, in which this process does nothing.
bool is_machine_busy(const LoadRule&);

// Measures as the rule says: the result of the least disturbed attempt.
template <class F>
auto least_disturbed(const LoadRule& rule, F&& measure) {
  using Result = decltype(measure());
  std::optional<std::pair<Result, Load>> best;
  for (int attempt = 1;; attempt++) {
    const LoadMeter meter(rule);
    Result result = measure();
    const Load load = meter.load();
    if (!best || load.share < best->second.share) best.emplace(std::move(result), load);
    if (!rule.repeats(load, attempt)) return std::move(*best);
  }
}

}  // namespace cppgen
