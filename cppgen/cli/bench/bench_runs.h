#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/cli/shared/state_caller.h"
#include "cppgen/cli/shared/timed.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/load_meter.h"
#include "runtime/values/tensor.h"
#include "runtime/values/value.h"

namespace cppgen {

// The memory of one caller for the results of runs with the same inputs.
class Caller {
 public:
  // Runs the model for the first time, which allocates all memory. The arguments must outlive the object.
  Caller(const ReadyModel& model, const std::vector<rt::Value>& inputs);

  double run();                                            // seconds
  std::vector<rt::Tensor>& outputs() { return outputs_; }  // of a model whose inputs and outputs are tensors
  const std::vector<rt::Tensor>& outputs() const { return outputs_; }

 private:
  const ReadyModel& model_;
  const std::vector<rt::Value>& values_;
  const bool tensors_;
  std::vector<rt::TensorView> inputs_;
  std::vector<rt::Tensor> outputs_;
  std::vector<rt::OutputView> output_views_;
  std::optional<StateCaller> states_;  // of a model with states, whose outputs are not among the views
};

// One model that is timed: ready, with its inputs and the memory of its outputs.
class TimedModel : public Timed {
 public:
  // Runs it for the first time. The arguments must outlive the object.
  TimedModel(const ReadyModel& model, const std::vector<rt::Value>& inputs);

  double run() override { return caller_.run(); }
  void rest() override;
  double first_run_s() const { return first_run_s_; }
  const ReadyModel& model() const { return model_; }
  const std::vector<rt::Tensor>& outputs() const { return caller_.outputs(); }

 private:
  const ReadyModel& model_;
  const double begin_;
  Caller caller_;
  const double first_run_s_;
};

// States how long to measure: the number of runs, or the seconds for each model. Without either, there are as many runs
// as fit three seconds per model, between 10 and 1000 per client.
struct TimingLimits {
  std::optional<int64_t> runs;
  std::optional<double> seconds;
  bool any_load = false;  // --any-load: whatever else the machine does
};

// Returns how measurements on so many threads that others disturb are repeated: not if that would exceed the seconds.
LoadRule load_rule(const TimingLimits&, int64_t threads);
// Returns a line for reports: "" if nothing disturbed the measurement.
std::string load_text(const Load&);

// Warms the models up, then runs them in turns (A A A B B B, B B B A A A, ...), each of which begins with uncounted
// runs, because caches hold the data of the other model and the threads sleep. Which model is first changes from round
// to round. Throws Cancelled between runs.
std::vector<RunTimes> time_models(const std::vector<Timed*>& models, const TimingLimits&, const CancelToken&);

}  // namespace cppgen
