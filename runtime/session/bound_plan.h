#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/library/library.h"
#include "runtime/memory/planner.h"
#include "runtime/plan/plan.h"
#include "runtime/session/waves.h"

namespace cppgen::rt {

class Executable;

// A step for one binding of the dimensions; within a repetition, for one iteration.
struct BoundStep {
  size_t step = 0;     // in Plan::steps
  int32_t state = 0;   // where it finds carried values: see state_buffer
  int64_t range = 0;   // kernel: parallel range
  int64_t chunks = 0;  // 0: nothing to do
  size_t params = 0;   // kernel: first parameter in BoundPlan::params
  int64_t flops = 0, bytes = 0;
  StepCosts<int64_t> costs;
  std::shared_ptr<const LibraryTask> task;  // library
};

// Everything that a run needs and that depends only on the dimensions.
struct BoundPlan {
  std::vector<int64_t> symbols;
  std::vector<int64_t> sizes;  // bytes per buffer
  std::vector<std::vector<int64_t>> output_dims;
  MemoryPlan memory;
  bool separate = false;  // each block of it is allocated separately
  bool outputs_in_arena = false;
  std::vector<long> params;  // the parameters of all kernels, concatenated
  std::vector<BoundStep> steps;
  std::vector<Wave> waves;    // positions in `steps`, in the order in which they run
  int64_t scratch_bytes = 0;  // per thread, a multiple of kBufferAlignment
};

// A carried value alternates between two buffers so that it ends in `after`; the first iteration reads the initial one.
// There are four states: kFirstTime or not, and kOddRest if an odd number of iterations is left.
inline constexpr int32_t kFirstTime = 1, kOddRest = 2, kStates = 4;
// The buffer that a step of this repetition uses in place of `buffer`.
int32_t state_buffer(const Repetition&, int32_t buffer, int32_t state);

struct BindOptions {
  int64_t min_chunk_size = 0;
  bool memory_planning = true;
  int64_t streams = 1;           // maximum number of concurrent steps
  int64_t streams_in_arena = 0;  // of those that write temporaries; 0: no other maximum
  bool reuse = true;             // ALLOW_BUFFER_REUSE
  bool outputs_in_arena = false;
};

// `operators` has one entry per step of the plan, null for kernels. UserError if the plan is invalid for these values:
// a negative size, an overflow, or contradictory sizes.
std::shared_ptr<const BoundPlan> bind_plan(const Executable&,
                                           std::span<const std::unique_ptr<LibraryOperator>> operators,
                                           std::span<const int64_t> symbols, const BindOptions&);

}  // namespace cppgen::rt
