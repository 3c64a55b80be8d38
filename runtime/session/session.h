#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/package/executable.h"
#include "runtime/session/profile.h"
#include "runtime/session/session_options.h"
#include "runtime/values/tensor.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

class Executor;
class SessionState;
class StateRun;

struct SessionStats {
  int threads = 0;
  size_t steps = 0;
  int64_t weights_bytes = 0;  // mapped, shared by all sessions of the machine
  // Memory that one run writes besides the outputs, in bytes: the arena and the scratch memory of all threads. The
  // maximum over the dimensions seen so far; for a model without symbols it is known from the start.
  int64_t arena_bytes = 0;
  size_t arena_blocks = 0;  // the number of allocations that hold the intermediate buffers of one run, likewise
};

struct RunOptions {
  // Once it is true, which another thread may set at any time, the run ends with RunCancelled as soon as the chunks
  // that have begun are done; the contents of outputs are then unspecified.
  const std::atomic<bool>* cancel = nullptr;
};

// An executor for several sessions, of the threads that these options describe. With NUM_STREAMS it has those of the
// first stream.
std::shared_ptr<Executor> make_session_executor(const SessionOptions&);

// Runs an executable on its own threads. All members may be called from many threads at once; each concurrent run has
// its own arena. Results are bitwise identical for any number of threads. If the package has versions for some sizes, a
// run with these sizes takes that version; the same sizes take the same version always.
class Session {
 public:
  explicit Session(std::shared_ptr<const Executable> executable, SessionOptions options = {});
  // Runs on the threads of this executor; the options that choose threads are ignored.
  Session(std::shared_ptr<const Executable> executable, SessionOptions options, std::shared_ptr<Executor> executor);
  ~Session();

  const Executable& executable() const;
  const Plan& plan() const { return executable().plan(); }

  // The sessions of the versions, in the order of Executable::versions(). They have steps and profiles of their own.
  const std::vector<std::unique_ptr<Session>>& versions() const;
  // The session that runs these inputs: that of a version, or this one. UserError if the inputs do not match.
  const Session& version_for(std::span<const TensorView> inputs) const;
  const Session& version_for(std::span<const Value> inputs) const;

  // Inputs and outputs in the order of the model. Each output must have exactly the type and dimensions of the result.
  // UserError naming the tensor if one does not match, or the node if an index is out of range (then the contents of
  // the outputs are undefined). After the first run with given dimensions, another run with the same dimensions
  // allocates nothing.
  void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs, const RunOptions& = {});

  // Runs with new tensors for the outputs.
  std::vector<Tensor> run(std::span<const TensorView> inputs, const RunOptions& = {});

  // Does the same for values of any kind, for models with sequences, optionals or strings.
  std::vector<Value> run_values(std::vector<Value> inputs, const RunOptions& = {});

  // The values that a caller keeps from run to run of a package with states (Plan::states); several of one session are
  // independent of each other. UserError if the package has none: all other members that run refuse those with states.
  std::unique_ptr<SessionState> make_state() const;

  // They run as the first two do, continuing from where this state object is: inputs and outputs are those of the
  // model, in its order, without those of states. After an error the state is as it was. UserError also if the state
  // belongs to another package or is in use by another run, or if this run would exceed its capacity or has other
  // sizes, such as another batch.
  void run(SessionState&, std::span<const TensorView> inputs, std::span<const OutputView> outputs,
           const RunOptions& = {});
  std::vector<Tensor> run(SessionState&, std::span<const TensorView> inputs, const RunOptions& = {});

  // The dimensions of the results for these inputs, whose data are not read. UserError if the dimensions depend on the
  // data.
  std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs);

  // Replaces a parameter of the plan by a copy of this tensor in all runs that begin later; without data, restores its
  // value in the package. No run may be in progress. UserError if there is no parameter of this name, or if the type or
  // the dimensions differ.
  void set_parameter(std::string_view name, const TensorView& value);

  SessionStats stats() const;

  // Sums since the session was created, one entry per step; all 0 without ENABLE_KERNEL_PROFILE.
  std::vector<StepProfile> profile() const;

  // The labels of the plan's steps in profiles (OPS_STAMP).
  const std::vector<std::string>& labels() const;

 private:
  struct Impl;
  void run_with(StateRun&, std::span<const OutputView> outputs);
  explicit Session(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cppgen::rt
