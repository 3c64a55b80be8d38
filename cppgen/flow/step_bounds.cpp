#include "cppgen/flow/step_bounds.h"

#include <algorithm>
#include <cmath>

#include "cppgen/compile/peaks.h"

namespace cppgen {
namespace {

// Fitted to the kernels of eleven networks, on one and on two threads of one machine with AVX-512, whose cores share no
// second-level cache (bench/predictions.py).
constexpr double kOfInstructions = 1.2;  // of the rate of multiply-adds: some are started together with others
constexpr double kOfPeaks = 1.1;         // kernels do not quite reach the peaks that loops of one instruction reach
constexpr double kStepNs = 500;          // of a step, for one thread
constexpr double kHeld = 0.35;           // the part of the first level that holds what a step exchanges
constexpr double kRoundTrips = 2.5;      // the threads begin a step together, and wait for each other at its end

// Of these bytes, those that are still in the caches of the threads that accessed them last.
double exchanged_bytes(const StepCost& cost, const MachinePeaks& peaks) {
  const double held = kHeld * double(peaks.levels.front().bytes);
  return held > 0 ? std::min(cost.exchanged, held) : cost.exchanged;
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
  const double busy = (cost.products + cost.instructions / kOfInstructions) / peaks.instructions_per_ns();
  const bool divided = peaks.exchange_gb_per_second > 0 && cost.chunks > 1;
  const double exchange = divided ? exchanged_bytes(cost, peaks) / peaks.threads / peaks.exchange_gb_per_second : 0;
  const double memory = bound.memory_ns + exchange;
  const double both = kOfPeaks * std::hypot(busy, memory);  // they overlap for the most part
  bound.predicted_ns = kStepNs + (divided ? kRoundTrips * peaks.round_trip_ns : 0) + both / share;
  return bound;
}

}  // namespace cppgen
