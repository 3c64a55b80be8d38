#pragma once
#include <mutex>

#include "runtime/session/runnable_model.h"

namespace cppgen::rt {

// A module: its plans, and the steps of the host between them.
class RunnableModule : public RunnableModel {
 public:
  explicit RunnableModule(const SessionSetup&);

  int64_t version_for(std::span<const TensorView> inputs) override;
  using RunnableModel::run;
  void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) override;
  std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs) override;
  void set_parameter(const Parameter&, const TensorView& value) override;
  void add_to(SessionStats&) const override;
  std::vector<StepProfile> profile() const override;

 private:
  std::vector<std::unique_ptr<RunnableModel>> parts_;  // one for each plan, whose steps precede those of the host
  size_t first_host_step_ = 0;

  mutable std::mutex mutex_;  // of the next one
  std::vector<StepProfile> host_totals_;

  void add_parts();
  void add_host_step(const HostStepTime&);
};

}  // namespace cppgen::rt
