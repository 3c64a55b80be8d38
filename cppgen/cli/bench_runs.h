#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cppgen/cli/ready_model.h"
#include "cppgen/support/interrupt.h"
#include "runtime/values/tensor.h"

namespace cppgen {

// What is timed.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual double run() = 0;  // seconds
  // Lets its threads sleep: while they wait for more work, they would take cores from whoever runs next.
  virtual void rest() = 0;
};

// One model that is timed: ready, with its inputs and the memory of its outputs.
class TimedModel : public Timed {
 public:
  // Runs it for the first time, which sizes all memory.
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

// Warms the models up, then runs them in turns (A A A B B B A A A ...). A turn begins with a run that is not counted,
// since the other model has the caches and one's own threads sleep. Without `runs`, as many as fit three seconds per
// model, between 10 and 1000. Cancelled between runs.
std::vector<RunTimes> time_models(std::vector<Timed*> models, std::optional<int64_t> runs, const CancelToken&);

}  // namespace cppgen
