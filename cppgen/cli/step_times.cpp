#include "cppgen/cli/step_times.h"

#include <algorithm>

#include "cppgen/cli/profile_report.h"
#include "cppgen/flow/stages.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

class CountedModel : public TimedModel {
 public:
  using TimedModel::TimedModel;
  double run() override {
    runs_++;
    return TimedModel::run();
  }
  int64_t runs() const { return runs_; }

 private:
  int64_t runs_ = 0;
};

}  // namespace

void measure_steps(ModelProfile& profile, const TimingLimits& limits, const std::vector<rt::Value>& inputs,
                   const CancelToken& cancel) {
  CountedModel timed(profile.model, inputs);
  time_models({&timed}, {.runs = 1, .seconds = {}}, cancel);
  const int64_t runs_before = timed.runs();
  const std::vector<rt::StepProfile> before = profile.model.session->profile();
  profile.times = std::move(time_models({&timed}, limits, cancel)[0]);
  profile.runs = timed.runs() - runs_before;
  profile.steps = profile.model.session->profile();
  for (size_t i = 0; i < profile.steps.size(); i++) {
    rt::StepProfile& step = profile.steps[i];
    step.calls -= before[i].calls, step.ns -= before[i].ns;
    step.flops -= before[i].flops, step.bytes -= before[i].bytes;
  }
}

std::optional<MachinePeaks> peaks_of(const ReadyModel& model, const Settings& settings) {
  const VecISA* isa = find_isa(model.isa());
  if (!isa) return std::nullopt;
  try {
    PosixProcessRunner runner;
    return machine_peaks(peaks_request(*isa, model.threads(), settings), runner);
  } catch (const UserError& error) {
    log_warning("bounds are not shown, because the peaks of this machine are unknown: {}", error.what());
    return std::nullopt;
  }
}

void find_bounds(ModelProfile& profile) {
  const rt::Plan& plan = profile.model.plan();
  const rt::SessionStats stats = profile.model.session->stats();
  profile.bounds.resize(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const rt::StepProfile& p = profile.steps[i];
    if (p.calls == 0) continue;
    StepCost cost{1, p.flops / double(p.calls), p.bytes / double(p.calls), 0};
    cost.constant_bytes = std::min(cost.bytes, constant_bytes(plan, plan.steps[i]));
    profile.bounds[i] = bound_of(cost, double(stats.weights_bytes + stats.arena_bytes), *profile.peaks);
  }
}

}  // namespace cppgen
