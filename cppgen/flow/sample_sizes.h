#pragma once
#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"

namespace cppgen {

// Sizes with which the kernels of a plan can be tried out.
struct SampleSizes {
  int64_t open = 0;              // of dimensions that the model leaves open
  std::vector<int64_t> symbols;  // of the plan; behind them, the first step of each repetition
};

// The first size of a list that satisfies the bounds of the plan. Dimensions that only a run knows are 1: they come
// from values, which random ones could contradict.
SampleSizes sample_sizes(const rt::Plan&);

}  // namespace cppgen
