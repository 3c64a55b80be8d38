#pragma once
#include <memory>
#include <span>
#include <vector>

#include "runtime/memory/mapping.h"
#include "runtime/package/executable.h"
#include "runtime/session/bound_plan.h"
#include "runtime/session/profile.h"
#include "runtime/session/trace_slice.h"
#include "runtime/threads/executor.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {

struct Instruments;

// States where runs take their memory from.
struct RunMemory {
  bool huge_pages = false;
  AllocatorPointer allocator = {};
};

// The memory of one run at a time: arena, scratch of each worker, and the arguments of every step. A session keeps one
// per concurrent caller. After the first run with given dimensions, another run with the same dimensions allocates
// nothing.
class RunContext {
 public:
  // `replaced` has, by buffer, the data that replace constants of the weights, or is empty.
  RunContext(const Executable& executable, std::span<const void* const> replaced, int workers, RunMemory, Instruments&);
  RunContext(const RunContext&) = delete;

  std::span<int64_t> symbols() { return symbols_; }  // space for the values of this run

  // Allocates memory and resolves all arguments that do not belong to the caller.
  void bind(std::shared_ptr<const BoundPlan> bound);

  // Checked tensors of this run, in the order of the model.
  void set_tensors(std::span<const TensorView> inputs, std::span<const OutputView> outputs);

  // The steps that have work to do.
  std::span<const StepView> begin_run();

  // Adds the times of the run that has just ended, which the instruments measured.
  void add_times(std::span<StepProfile> profile) const;
  // Returns the chunks of this run for each worker, if the instruments record them.
  std::span<const std::vector<TraceSlice>> slices() const { return slices_; }

  // If a plan has outputs in the arena, these return where they are, and after the run the arena, which is then no
  // longer this context's.
  void* output(int32_t slot) const;
  std::shared_ptr<const void> take_arena();

 private:
  struct StepContext {
    RunContext* run;
    const BoundStep* bound;
    KernelFunction kernel;
    const LibraryTask* task;
    std::span<void* const> buffers;
    const long* params;
    int64_t range, chunks;
  };
  // States when one worker began its first chunk of a step and ended its last one, in the run of this number. Each
  // worker has times of its own: a number that all of them wrote would cost more than short chunks take.
  struct WorkerTimes {
    int64_t run = 0, begin_ns = 0, end_ns = 0;
  };
  struct CallerArgument {
    size_t argument;  // in arguments_
    bool output;
    int32_t slot;
  };

  // Steps that run concurrently: their chunks, step after step.
  struct WaveContext {
    std::span<const StepView> steps;
  };
  // The steps as the inspectors see them.
  struct Inspection {
    RunContext* run;
    std::span<const StepView> steps;
  };

  static void run_wave(void* wave, int64_t chunk, int worker);
  static void run_kernel(void* step, int64_t chunk, int worker);
  static void run_library(void* step, int64_t chunk, int worker);
  static void run_measured(void* step, int64_t chunk, int worker);
  template <auto method>
  static void inspect(void* inspection, int64_t chunk, int worker);
  void add_wave(std::span<const StepView> steps);
  void find_last_writers();
  void find_caller_arguments();
  void bind_arguments();
  void bind_step(size_t position);
  void reserve_memory(const BoundPlan& bound);
  void reserve_separately(const BoundPlan& bound);
  void* address(int32_t buffer) const;
  size_t position_of(const StepContext& step) const { return size_t(step.bound - bound_->steps.data()); }
  int64_t time_of(const StepContext&) const;
  [[noreturn]] void fail_check(int error) const;

  const Executable& executable_;
  const std::span<const void* const> replaced_;
  const int workers_;
  const RunMemory memory_;
  Instruments& instruments_;
  std::shared_ptr<const BoundPlan> bound_;
  std::shared_ptr<Arena> arena_;
  std::vector<Tensor> separate_;  // by buffer, if each has memory of its own
  Arena scratch_;
  std::vector<int64_t> symbols_;
  std::vector<void*> arguments_;        // buffers of all steps, one step after the other, state by state
  std::vector<size_t> first_argument_;  // per step
  std::vector<CallerArgument> caller_arguments_;
  std::unique_ptr<StepContext[]> steps_;  // of BoundPlan::steps
  size_t steps_size_ = 0;
  std::vector<StepView> step_views_;  // steps that have work to do, wave by wave
  std::vector<WaveContext> waves_;
  std::vector<StepView> views_;  // of waves, or of their only step
  int error_ = 0;

  // These are for instruments only.
  std::vector<std::vector<WorkerTimes>> times_;  // by worker and by position in BoundPlan::steps
  int64_t measured_run_ = 0;
  std::vector<std::vector<TraceSlice>> slices_;
  std::vector<Inspection> inspections_;
  std::vector<size_t> last_writers_;
  int64_t run_ = 0;
};

}  // namespace cppgen::rt
