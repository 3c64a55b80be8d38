#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cppgen/cli/ready_model.h"
#include "cppgen/support/interrupt.h"
#include "runtime/values/tensor.h"

namespace cppgen {

// A model that is timed.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual double run() = 0;  // seconds
  // Puts its threads to sleep: while they spin, they would take cores from the model that runs next.
  virtual void rest() = 0;
};

// One model that is timed: ready, with its inputs and the memory of its outputs.
class TimedModel : public Timed {
 public:
  // Runs it for the first time, which allocates all memory.
  TimedModel(const ReadyModel& model, const std::vector<rt::Tensor>& inputs);

  double run() override;
  void rest() override;
  double first_run_s() const { return first_run_s_; }
  const ReadyModel& model() const { return model_; }
  const std::vector<rt::Tensor>& outputs() const { return outputs_; }

 private:
  const ReadyModel& model_;
  std::vector<rt::TensorView> inputs_;
  std::vector<rt::Tensor> outputs_;
  std::vector<rt::OutputView> output_views_;
  double first_run_s_ = 0;
};

struct RunTimes {
  std::vector<double> seconds;  // sorted

  double min_ms() const { return seconds.front() * 1e3; }
  double median_ms() const;
  double p99_ms() const;  // nearest rank
};

// Warms the models up, then runs them in turns (A A A B B B A A A ...). A turn starts with an uncounted run, because
// caches hold the data of the other model and the threads sleep. Without `runs`, there are as many as fit three seconds
// per model, between 10 and 1000. Throws Cancelled between runs.
std::vector<RunTimes> time_models(std::vector<Timed*> models, std::optional<int64_t> runs, const CancelToken&);

}  // namespace cppgen
