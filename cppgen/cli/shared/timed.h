#pragma once
#include <cstdint>
#include <vector>

#include "cppgen/support/interrupt.h"

namespace cppgen {

// The times of runs.
struct RunTimes {
  std::vector<double> seconds;  // sorted by time_models
  double wall_s = 0;            // time in which these runs were made, by all clients together

  double min_ms() const { return seconds.front() * 1e3; }
  double mean_ms() const;
  double median_ms() const;
  double percentile_ms(double share) const;  // nearest rank: 0.99 of all runs took at most percentile_ms(0.99)
  double runs_per_s() const { return double(seconds.size()) / wall_s; }
};

// An end of a series of runs: after so many runs, or after so many seconds, whichever is first.
struct RunLimit {
  int64_t runs;
  double seconds;
};

// A model that is timed.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual double run() = 0;  // seconds
  // Puts its threads to sleep: while they spin, they would take cores from the model that runs next.
  virtual void rest() = 0;
  // Callers that run it at the same time.
  virtual int64_t clients() const { return 1; }
  // Runs until the limit and adds the times, unsorted. Throws Cancelled between runs.
  virtual void run_until(const RunLimit&, RunTimes&, const CancelToken&);
};

}  // namespace cppgen
