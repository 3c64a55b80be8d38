#pragma once
#include <map>
#include <mutex>

#include "runtime/session/bound_plans.h"
#include "runtime/session/context_pool.h"
#include "runtime/session/runnable_model.h"

namespace cppgen::rt {

// A plan, the memory of its runs, and the sums of their times.
class RunnablePlan : public RunnableModel {
 public:
  explicit RunnablePlan(const SessionSetup&);

  void prepare() override;
  int64_t version_for(std::span<const TensorView> inputs) override;
  using RunnableModel::run;
  void run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) override;
  std::vector<std::vector<int64_t>> output_dims(std::span<const TensorView> inputs) override;
  void set_parameter(const Parameter&, const TensorView& value) override;
  void add_to(SessionStats& stats) const override { bound_plans_.add_to(stats); }
  std::vector<StepProfile> profile() const override;

 private:
  ContextPool contexts_;
  BoundPlans bound_plans_;
  std::map<int32_t, Tensor> parameters_;  // replaced, by buffer

  mutable std::mutex mutex_;  // of the next one
  std::vector<StepProfile> totals_;

  std::vector<Tensor> run_plan(std::span<const TensorView> inputs);
  void execute(ContextPool::Lease&, std::span<const TensorView> inputs, std::span<const OutputView> outputs);
};

}  // namespace cppgen::rt
