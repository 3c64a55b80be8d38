#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cppgen/flow/costs/machine_model.h"

namespace cppgen {

struct Explanation;

// The times that a model is predicted to take on different numbers of threads of a machine.
struct Scaling {
  struct Row {
    int threads = 1;
    double ms = 0;
    double speed_up = 1;  // relative to one thread
    double efficiency() const { return speed_up / threads; }
  };
  // A step that takes more of a run than its part of the time on one thread would be.
  struct Loss {
    size_t step = 0;  // in Explanation::steps
    double ms = 0;
    std::string why;  // "only 7 units for 32 threads"
  };
  MachineModel machine;
  std::vector<Row> rows;      // in the order in which the numbers were given
  std::vector<Loss> losses;   // on the most threads, the greatest first
  int most_threads = 1;       // of which `losses` are
  int64_t library_steps = 0;  // which count as if they ran on one thread
};

// Steps take turns, each on all threads, as in runs of one model. The runtime's own functions divide steps into chunks
// and chunks among threads; each thread begins with its share and then takes chunks of others. `threads` is not empty.
Scaling scaling_of(const Explanation&, const MachineModel&, const std::vector<int>& threads);

// Returns how many units of the step the thread with the most of them runs, if all are equally fast: `chunks` chunks of
// `units` are divided among threads as in a run.
int64_t most_units(int64_t units, int64_t chunks, int threads);

// Does the same for threads of different speeds, in units of time: when the last one has finished. Unit time is that
// of a unit on a thread of speed 1.
double finish_time(int64_t units, int64_t chunks, const std::vector<double>& speeds);

}  // namespace cppgen
