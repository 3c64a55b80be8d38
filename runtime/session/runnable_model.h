#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/host/model_runner.h"
#include "runtime/session/session.h"
#include "runtime/session/session_executors.h"

namespace cppgen::rt {

struct Instruments;

// The parts of a session. Those of its versions have the same threads and instruments.
struct SessionSetup {
  std::shared_ptr<const Executable> executable;
  SessionOptions options;
  Executors executors;
  std::shared_ptr<Instruments> instruments;
};

// A model with all that its runs need: a plan or a module of plans. A session has one, and one for each version.
class RunnableModel {
 public:
  virtual ~RunnableModel() = default;
  RunnableModel(const RunnableModel&) = delete;

  const SessionSetup& setup() const { return setup_; }
  const BoundaryChecks& checks() const { return checks_; }
  const std::vector<std::string>& labels() const { return labels_; }  // of the steps

  // Does what depends on no input, so that errors and costs of the first run occur now.
  virtual void prepare() {}
  // The version of the executable for these inputs, which are checked; negative: none.
  virtual int64_t version_for(std::span<const TensorView> inputs) = 0;
  // Runs as a session without versions does.
  virtual void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) = 0;
  std::vector<Tensor> run(std::span<const TensorView> inputs) const { return runner_.run(inputs); }
  std::vector<Value> run_values(std::vector<Value> inputs) const { return runner_.run_values(std::move(inputs)); }
  virtual std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs) = 0;

  // A parameter of the plan, of the type and dimensions of the value.
  virtual void set_parameter(const Parameter&, const TensorView& value) = 0;
  virtual void add_to(SessionStats&) const = 0;  // its memory
  virtual std::vector<StepProfile> profile() const = 0;

 protected:
  RunnableModel(const SessionSetup&, RunPlan, HostStepListener = {});

  const Plan& plan() const { return setup_.executable->plan(); }
  const SessionOptions& options() const { return setup_.options; }
  Instruments& instruments() const { return *setup_.instruments; }
  // Steps of a run, for the observers.
  void show(std::span<const std::vector<TraceSlice>>) const;

  std::vector<std::string> labels_;

 private:
  const SessionSetup setup_;
  const BoundaryChecks checks_;
  const ModelRunner runner_;
};

// Makes the model for the executable of the setup.
std::unique_ptr<RunnableModel> make_runnable_model(const SessionSetup&);

}  // namespace cppgen::rt
