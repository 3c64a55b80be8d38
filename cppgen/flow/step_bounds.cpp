#include "cppgen/flow/step_bounds.h"

#include <algorithm>
#include <cmath>

#include "cppgen/compile/peaks.h"

namespace cppgen {
namespace {

// Fitted to the kernels of eleven networks, on one and on two threads of a machine with AVX2 (bench/predictions.py).
constexpr double kOfLoads = 2.7;   // simple instructions in the time of a load that is not aligned
constexpr double kOfPeaks = 1.05;  // kernels do not quite reach the peaks that loops of one instruction reach
constexpr double kOverlap = 2.5;   // of arithmetic and memory: 1 if they take turns, infinite if only the longer counts
constexpr double kStepNs = 500;    // of a step, for one thread
constexpr double kHeld = 0.6;      // the part of the first level that holds what a step exchanges
constexpr double kRoundTrips = 2.5;  // the threads begin a step together, and wait for each other at its end

double overlapped(double a, double b) { return std::pow(std::pow(a, kOverlap) + std::pow(b, kOverlap), 1 / kOverlap); }

// Of one thread that exchanges its part. What the first level does not hold is moved at the rate of the level anyhow.
double exchange_ns(double bytes, const MachinePeaks::Level& level, const MachinePeaks& peaks) {
  const double held = peaks.levels.size() > 1 ? kHeld * double(peaks.levels.front().bytes) : bytes;
  const double near = std::min(bytes, held) / peaks.threads, far = bytes / peaks.threads - near;
  const double longer = 1 / peaks.far_exchange_gb_per_second - peaks.threads / level.gb_per_second;
  return near / peaks.exchange_gb_per_second + far * std::max(0.0, longer);
}

// The share of the threads' time that they work: chunks are not divided.
double balance(double chunks, int threads) {
  const double turns = std::ceil(std::max(1.0, chunks) / threads);
  return std::max(1.0, chunks) / (turns * threads);
}

}  // namespace

StepBound bound_of(const StepCost& cost, double run_bytes, const MachinePeaks& peaks) {
  const double others = cost.bytes - cost.constant_bytes;
  const MachinePeaks::Level& of_constants = peaks.level_for(run_bytes);
  const MachinePeaks::Level& of_others = peaks.level_for(others);
  StepBound bound;
  bound.arithmetic_ns = cost.flops / (peaks.gflops * cost.rate) + cost.functions / peaks.instructions_per_ns();
  bound.memory_ns = cost.constant_bytes / of_constants.gb_per_second + others / of_others.gb_per_second;
  bound.level = cost.constant_bytes > others ? of_constants.name : of_others.name;
  const double share = balance(cost.chunks, peaks.threads);
  const double busy = (cost.products + cost.compounds) / peaks.instructions_per_ns() +
                      cost.instructions / (kOfLoads * peaks.loads_per_ns);
  const bool divided = peaks.exchange_gb_per_second > 0 && cost.chunks > 1;
  const double memory = bound.memory_ns + (divided ? exchange_ns(cost.exchanged, of_others, peaks) : 0);
  const double both = kOfPeaks * overlapped(busy, memory);
  bound.predicted_ns = kStepNs + (divided ? kRoundTrips * peaks.round_trip_ns : 0) + both / share;
  return bound;
}

}  // namespace cppgen
