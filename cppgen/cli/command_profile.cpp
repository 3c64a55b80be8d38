// cppgen profile
#include <algorithm>
#include <optional>

#include "cppgen/cli/bench_runs.h"
#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/model_inputs.h"
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

// Without the first runs, in which memory is mapped and the processor's frequency rises.
void measure(ModelProfile& profile, const ProfileOptions& options, const std::vector<rt::Tensor>& inputs,
             const CancelToken& cancel) {
  CountedModel timed(profile.model, inputs);
  time_models({&timed}, 1, cancel);
  const int64_t runs_before = timed.runs();
  const std::vector<rt::StepProfile> before = profile.model.session->profile();
  profile.times = std::move(time_models({&timed}, options.runs, cancel)[0]);
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

// From the sizes that the measured runs had. A step that did not run has the bound 0.
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

}  // namespace

ExitCode command_profile(const ProfileOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("profile measures compiled code: remove FORCE_NATIVE_RUNTIME");
  settings.set("ENABLE_KERNEL_PROFILE", "1");
  const ReadyModel model = open_model(options, settings, cancel);
  const std::vector<rt::Tensor> inputs = make_inputs(model.plan(), model.bound, options.seed, settings.max_memory);
  ModelProfile profile{model, {}, 0, {}, {}, {}};
  profile.peaks = peaks_of(model, settings);
  measure(profile, options, inputs, cancel);
  if (profile.peaks) find_bounds(profile);
  print_result(options.json ? profile_json(options, profile) : profile_text(options, profile));
  return kDone;
}

}  // namespace cppgen
