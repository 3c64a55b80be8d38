#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/settings.h"
#include "runtime/package/executable.h"
#include "runtime/session/profile.h"
#include "runtime/values/tensor.h"
#include "runtime/values/value.h"

namespace cppgen::rt {

class Executor;

// The settings of the same names, and what is made of others.
struct SessionOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  int64_t streams = 1;  // most independent steps at once: 1 + MULTISTREAM_EXTRA_STREAMS with MULTISTREAM_MODE
  // Called before each step of a model of several plans, whose loops may have no end. What it throws ends the run.
  std::function<void()> before_step = {};
  // MAX_MEMORY: most bytes of inputs, outputs, arena and scratch of one run of a plan.
  int64_t max_memory = std::numeric_limits<int64_t>::max();

  // CUSTOM_OPS: paths of descriptions, separated by ':'. Of custom operators that are C functions, those described
  // there are loaded, and a model that needs another one is refused.
  std::string custom_operators = {};

  static SessionOptions from(const Settings&);

  // What the environment says: CPPGEN_THREADS and the other settings of a run, their aliases, and the defaults. Applies
  // CPPGEN_LOGLEVEL and logs what is wrong with foreign variables. UserError for a CPPGEN_ variable with a value that
  // is not allowed. Settings that decide how a model is compiled are not looked at.
  static SessionOptions from_environment();
};

struct SessionStats {
  int threads = 0;
  size_t steps = 0;
  int64_t weights_bytes = 0;  // mapped, shared by all sessions of the machine
  // What one run writes besides the outputs: the arena and the scratch of all threads. The most over the dimensions
  // seen so far; a model without symbols knows it from the beginning.
  int64_t arena_bytes = 0;
};

// Runs an executable on threads of its own. All members may be called from many threads at once; each concurrent run
// has an arena of its own. Results do not depend on the number of threads, bit for bit.
class Session {
 public:
  explicit Session(std::shared_ptr<const Executable> executable, SessionOptions options = {});
  // On other threads than oneTBB's: the options that choose threads do not count.
  Session(std::shared_ptr<const Executable> executable, SessionOptions options, std::shared_ptr<Executor> executor);
  ~Session();

  const Executable& executable() const;
  const Plan& plan() const { return executable().plan(); }

  // Inputs and outputs in the order of the model. Each output must have exactly the type and dimensions of the result.
  // UserError naming the tensor if one does not fit, or the node if an index leaves its tensor (then the contents of
  // the outputs are undefined). After the first run with some dimensions, another one with the same allocates nothing.
  void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs);

  // Likewise into new tensors.
  std::vector<Tensor> run(std::span<const TensorView> inputs);

  // Likewise of any values, which models with sequences, optionals or strings take and give.
  std::vector<Value> run_values(std::vector<Value> inputs);

  // Dimensions of the results for these inputs, whose data are not looked at. UserError if these decide them.
  std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs);

  SessionStats stats() const;

  // Sums since the session was made, one per step; all 0 without ENABLE_KERNEL_PROFILE.
  std::vector<StepProfile> profile() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cppgen::rt
