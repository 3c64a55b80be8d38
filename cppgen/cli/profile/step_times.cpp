#include "cppgen/cli/profile/step_times.h"

#include <algorithm>

#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/ready_run.h"
#include "cppgen/flow/compile/stages.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace {

class CountedModel : public TimedModel {
 public:
  using TimedModel::TimedModel;
  double run() override {
    runs_++;
    const double seconds = TimedModel::run();
    seconds_ += seconds;
    return seconds;
  }
  int64_t runs() const { return runs_; }
  double seconds() const { return seconds_; }

 private:
  int64_t runs_ = 0;
  double seconds_ = 0;
};

constexpr int kRecordedRuns = 3;

// Returns the stored peaks without measuring again, even if they were measured on a busy machine.
std::optional<MachinePeaks> kept_peaks(const ReadyModel& model, const Settings& settings) {
  const VecISA* isa = find_isa(model.isa());
  if (!isa) return std::nullopt;
  try {
    return known_peaks(peaks_request(*isa, model.threads(), settings));
  } catch (const UserError&) {  // no compiler
    return std::nullopt;
  }
}

}  // namespace

double ModelProfile::chunks_of(size_t i) const {
  double sum = 0;
  for (const auto& [id, thread] : step_threads[i]) sum += chunks(thread);
  return sum;
}

Settings profile_settings(const CommonOptions& options) {
  Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("profile measures compiled code: remove FORCE_NATIVE_RUNTIME");
  settings.set("ENABLE_KERNEL_PROFILE", "1");
  return settings;
}

ModelProfile profile_model(const ReadyRun& run, RunRecorder& recorder, const TimingLimits& limits,
                           const Settings& settings, const CancelToken& cancel, bool renew) {
  std::optional<MachinePeaks> peaks;
  if (!run.model.plan().has_costs) {
    log_warning("bounds are not shown, because the package states no costs, or those of another version of cppgen");
  } else {
    if (limits.any_load && !renew) peaks = kept_peaks(run.model, settings);
    if (!peaks) peaks = peaks_of(run.model, settings, renew);
  }
  auto [profile, load] = least_disturbed(load_rule(limits, run.model.threads()), [&] {
    ModelProfile measured{run.model, {}, 0, {}, {}, {}};
    measure_steps(measured, limits, run.inputs, cancel, &recorder);
    return measured;
  });
  profile.load = load, profile.peaks = std::move(peaks);
  if (profile.peaks) find_bounds(profile, schedule::costs_with(settings.costs));
  return std::move(profile);
}

void measure_steps(ModelProfile& profile, const TimingLimits& limits, const std::vector<rt::Value>& inputs,
                   const CancelToken& cancel, RunRecorder* recorder) {
  CountedModel timed(profile.model, inputs);
  time_models({&timed}, {.runs = 1, .seconds = {}}, cancel);
  const int64_t runs_before = timed.runs();
  const double seconds_before = timed.seconds();
  const std::vector<rt::StepProfile> before = profile.model.chosen->profile();
  std::optional<HardwareCounters> counters;
  if (recorder) recorder->clear(), counters.emplace().start();
  profile.times = std::move(time_models({&timed}, limits, cancel)[0]);
  if (recorder) {
    counters->stop();
    profile.counts = counters->counts(), profile.no_counts = counters->reason();
    profile.step_threads = recorder->steps();
  }
  profile.runs = timed.runs() - runs_before, profile.runs_s = timed.seconds() - seconds_before;
  profile.steps = profile.model.chosen->profile();
  profile.step_threads.resize(profile.steps.size());
  for (const ThreadTimes& times : profile.step_threads)
    for (const auto& [id, thread] : times) {
      profile.threads[id].busy_ns += thread.busy_ns;
      profile.threads[id].chunks += thread.chunks;
    }
  for (size_t i = 0; i < profile.steps.size(); i++) profile.steps[i] = profile.steps[i].since(before[i]);
  for (int i = 0; recorder && i < kRecordedRuns; i++)
    profile.recorded.push_back(recorder->record([&] { timed.run(); }));
}

std::optional<MachinePeaks> peaks_of(const ReadyModel& model, const Settings& settings, bool renew) {
  const VecISA* isa = find_isa(model.isa());
  if (!isa) return std::nullopt;
  try {
    PosixProcessRunner runner;
    PeaksRequest request = peaks_request(*isa, model.threads(), settings);
    request.renew = renew;
    return machine_peaks(request, runner);
  } catch (const UserError& error) {
    log_warning("bounds are not shown, because the peaks of this machine are unknown: {}", error.what());
    return std::nullopt;
  }
}

void find_bounds(ModelProfile& profile, const schedule::Costs& costs) {
  const rt::Plan& plan = profile.model.plan();
  const rt::SessionStats stats = profile.model.session->stats();
  profile.bounds.resize(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const rt::StepProfile& p = profile.steps[i];
    if (p.calls == 0 || plan.steps[i].engine == rt::kHostEngine) continue;
    const StepCost cost = cost_of_call(plan, i, p);
    profile.bounds[i] = bound_of(cost, double(stats.weights_bytes + stats.arena_bytes), *profile.peaks, costs);
  }
}

}  // namespace cppgen
