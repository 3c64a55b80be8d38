#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/memory/mapping.h"
#include "runtime/package/executable.h"
#include "runtime/values/input_binding.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {

// The memory of a package's states (Plan::states) between the runs of one sequence of runs, such as the decoding of one
// text. It is reserved for the whole capacity by the first run, which knows the sizes of the other dimensions, and is
// taken from the system page by page as the states grow.
class SessionState {
 public:
  // `max_memory`: see SessionOptions.
  explicit SessionState(std::shared_ptr<const Executable>, int64_t max_memory = std::numeric_limits<int64_t>::max());

  size_t count() const { return plan().states.size(); }
  // Returns how many positions along its axis each state has.
  int64_t length() const { return length_; }
  // Forgets all positions from `length` on, or all with 0, after which runs may have other sizes. UserError if it is
  // negative or greater than the present length, or if a run is in progress.
  void set_length(int64_t length);

  // Replaces the contents by copies of these tensors, one for each state in the order of Plan::states, as the inputs of
  // the model would be. UserError if a type or rank is another, or if the lengths differ or exceed the capacity.
  void write(std::span<const TensorView>);
  // The contents of the state at this position in Plan::states. UserError if there have been none yet, because the
  // sizes are then unknown.
  Tensor read(size_t state);

 private:
  friend class StateRun;

  const Plan& plan() const { return executable_->plan(); }
  std::vector<int64_t> dims_of(size_t state, int64_t length) const;
  // The memory for tensors of these dimensions, which have the capacities along the axes.
  void reserve(std::vector<std::vector<int64_t>> dims);

  const std::shared_ptr<const Executable> executable_;
  const int64_t max_memory_;
  std::mutex in_use_;
  std::atomic<int64_t> length_ = 0;
  std::vector<std::vector<int64_t>> dims_;  // of the memory of each state; empty before the first run
  std::vector<Arena> memory_;
};

// One run with a state object, which no other run can use meanwhile.
class StateRun {
 public:
  // `inputs`: those that do not belong to states, in the order of the model; they must outlive this object. Checks all
  // dimensions and the capacity, and reserves the memory if there is none yet. UserError as of Session::run.
  StateRun(SessionState&, const Executable&, std::span<const TensorView> inputs, const BoundaryChecks&);

  // All inputs of the model, in its order.
  std::span<const TensorView> inputs() const { return inputs_; }
  // All outputs, given the others. UserError if their number is not right.
  std::vector<OutputView> with_states(std::span<const OutputView> others) const;
  // The run has succeeded: the next one continues from here.
  void keep() { state_.length_ = next_length_; }

 private:
  void take_inputs(std::span<const TensorView> others);
  void find_dims(const BoundaryChecks&);
  void require_capacity() const;
  void reserve();

  SessionState& state_;
  const Plan& plan_;
  const std::unique_lock<std::mutex> lock_;
  std::vector<TensorView> inputs_;
  std::vector<int64_t> symbols_;
  std::vector<std::vector<int64_t>> past_, present_;  // dimensions, by state
  int64_t next_length_ = 0;
};

}  // namespace cppgen::rt
