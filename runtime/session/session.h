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

// The settings of the same names, and values that are derived from other settings.
struct SessionOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  int64_t streams = 1;  // maximum number of concurrent steps: 1 + MULTISTREAM_EXTRA_STREAMS with MULTISTREAM_MODE
  // Called before each step of a model of several plans, whose loops may be infinite. An exception that it throws ends
  // the run.
  std::function<void()> before_step = {};
  // MAX_MEMORY: maximum number of bytes of inputs, outputs, arena and scratch memory of one run of a plan.
  int64_t max_memory = std::numeric_limits<int64_t>::max();

  // CUSTOM_OPS: paths of descriptions, separated by ':'. The C functions of custom operators that are described there
  // are loaded, and a model that requires any other is refused.
  std::string custom_operators = {};

  static SessionOptions from(const Settings&);

  // Options from the environment: CPPGEN_THREADS and the other settings of a run, their aliases, and the defaults.
  // Applies CPPGEN_LOGLEVEL and logs warnings about variables of other programs. UserError for a CPPGEN_ variable with
  // a value that is not allowed. Settings that affect compilation are ignored.
  static SessionOptions from_environment();
};

struct SessionStats {
  int threads = 0;
  size_t steps = 0;
  int64_t weights_bytes = 0;  // mapped, shared by all sessions of the machine
  // Memory that one run writes besides the outputs, in bytes: the arena and the scratch memory of all threads. The
  // maximum over the dimensions seen so far; for a model without symbols it is known from the start.
  int64_t arena_bytes = 0;
};

// Runs an executable on its own threads. All members may be called from many threads at once; each concurrent run has
// its own arena. Results are bitwise identical for any number of threads.
class Session {
 public:
  explicit Session(std::shared_ptr<const Executable> executable, SessionOptions options = {});
  // Runs on the threads of this executor; the options that choose threads are ignored.
  Session(std::shared_ptr<const Executable> executable, SessionOptions options, std::shared_ptr<Executor> executor);
  ~Session();

  const Executable& executable() const;
  const Plan& plan() const { return executable().plan(); }

  // Inputs and outputs in the order of the model. Each output must have exactly the type and dimensions of the result.
  // UserError naming the tensor if one does not match, or the node if an index is out of range (then the contents of
  // the outputs are undefined). After the first run with given dimensions, another run with the same dimensions
  // allocates nothing.
  void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs);

  // The same, with new tensors for the outputs.
  std::vector<Tensor> run(std::span<const TensorView> inputs);

  // The same for values of any kind, for models with sequences, optionals or strings.
  std::vector<Value> run_values(std::vector<Value> inputs);

  // The dimensions of the results for these inputs, whose data are not read. UserError if the dimensions depend on the
  // data.
  std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs);

  SessionStats stats() const;

  // Sums since the session was created, one entry per step; all 0 without ENABLE_KERNEL_PROFILE.
  std::vector<StepProfile> profile() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cppgen::rt
