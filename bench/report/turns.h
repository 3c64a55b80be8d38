#pragma once
#include <vector>

#include "bench/report/samples.h"

namespace cppgen::bench {

// A subject that is timed in turns with others.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual double run() = 0;  // seconds
  // Lets its threads sleep: while they wait for more work, they would take cores from whoever runs next.
  virtual void rest() = 0;
};

struct TurnOptions {
  double seconds = 1;  // each one is timed for about this long
  int64_t least_runs = 30;
  int least_turns = 5;
};

// Warms all up, then lets them run in turns. A turn begins with a run that is not counted, since the one before left
// its own data in the caches.
std::vector<Samples> time_in_turns(const std::vector<Timed*>&, const TurnOptions&);

}  // namespace cppgen::bench
