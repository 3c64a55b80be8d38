#include "cppgen/flow/costs/step_bounds.h"

#include <algorithm>
#include <cmath>

#include "cppgen/compile/peaks.h"

namespace cppgen {
namespace {

using schedule::Costs;

double overlapped(double a, double b, const Costs& costs) {
  return std::pow(std::pow(a, costs.overlap) + std::pow(b, costs.overlap), 1 / costs.overlap);
}

// The time in which one thread exchanges its part. What the first level does not hold is moved at the rate of the level
// anyhow.
double exchange_ns(double bytes, const MachinePeaks::Level& level, const MachinePeaks& peaks, const Costs& costs) {
  const double held = peaks.levels.size() > 1 ? costs.held_share * double(peaks.levels.front().bytes) : bytes;
  const double near = std::min(bytes, held) / peaks.threads, far = bytes / peaks.threads - near;
  const double longer = 1 / peaks.far_exchange_gb_per_second - peaks.threads / level.gb_per_second;
  return near / peaks.exchange_gb_per_second + far * std::max(0.0, longer);
}

// The share of the threads' time that they work: chunks are not divided.
double balance(double chunks, int threads) {
  const double turns = std::ceil(std::max(1.0, chunks) / threads);
  return std::max(1.0, chunks) / (turns * threads);
}

// The level that holds the constants of a run: a second-level cache has what its own thread reads, a last-level cache
// what its threads read.
const MachinePeaks::Level& level_of_constants(double run_bytes, const MachinePeaks& peaks, const StepSharing& sharing) {
  for (const MachinePeaks::Level& level : peaks.levels) {
    const double copies = level.name == "L2" ? sharing.readers : sharing.caches;
    if (level.bytes == 0 || copies * run_bytes <= double(level.bytes)) return level;
  }
  return peaks.levels.back();
}

double constants_ns(const StepCost& cost, const MachinePeaks::Level& level, const MachinePeaks& peaks,
                    const StepSharing& sharing) {
  const double one = cost.constant_bytes / level.gb_per_second;
  if (level.bytes > 0 || peaks.levels.size() == 1) return one * sharing.readers;
  const MachinePeaks::Level& cache = *(&level - 1);  // the last one, from which all threads of it read
  return std::max(one * sharing.caches,
                  sharing.readers > 1 ? cost.constant_bytes * sharing.readers / cache.gb_per_second : 0);
}

StepSharing usual_sharing(const StepCost& cost, const MachinePeaks& peaks) {
  return {.busy = balance(cost.chunks, peaks.threads), .exchanged = cost.exchanged};
}

}  // namespace

StepBound bound_of(const StepCost& cost, double run_bytes, const MachinePeaks& peaks, const Costs& costs,
                   const StepSharing& sharing) {
  const double others = cost.bytes - cost.constant_bytes;
  const MachinePeaks::Level& of_constants = level_of_constants(run_bytes, peaks, sharing);
  const MachinePeaks::Level& of_others = peaks.level_for(others);
  StepBound bound;
  bound.arithmetic_ns = cost.flops / (peaks.gflops * cost.rate) + cost.functions / peaks.instructions_per_ns();
  bound.memory_ns = constants_ns(cost, of_constants, peaks, sharing) + others / of_others.gb_per_second;
  bound.level = cost.constant_bytes > others ? of_constants.name : of_others.name;
  const double busy = (cost.products + cost.multi_instruction) / peaks.instructions_per_ns() +
                      cost.instructions / (costs.loads_rate * peaks.loads_per_ns);
  const bool divided = peaks.exchange_gb_per_second > 0 && cost.chunks > 1;
  const double exchange = divided ? exchange_ns(sharing.exchanged, of_others, peaks, costs) : 0;
  const double alone = costs.peaks_share * overlapped(busy, bound.memory_ns, costs);
  const double both = costs.peaks_share * overlapped(busy, bound.memory_ns + exchange, costs);
  bound.waiting_ns = alone - costs.peaks_share * busy, bound.exchange_ns = both - alone;
  bound.idle_ns = both / sharing.busy - both;
  bound.start_ns = costs.step_ns + (divided ? costs.round_trips * peaks.round_trip_ns + sharing.further_start_ns : 0);
  bound.predicted_ns = bound.start_ns + both / sharing.busy;
  return bound;
}

StepBound bound_of(const StepCost& cost, double run_bytes, const MachinePeaks& peaks, const Costs& costs) {
  return bound_of(cost, run_bytes, peaks, costs, usual_sharing(cost, peaks));
}

}  // namespace cppgen
