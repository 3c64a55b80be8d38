#include "cppgen/cli/explain/explain_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/cli/explain/explain_summary.h"
#include "cppgen/cli/profile/kept_profile.h"
#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/profile/step_times.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/ready_run.h"
#include "cppgen/report/page.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

using report::Measurement;

// Chunks of a step that follow each other on a thread are one slice.
void add_slices(Measurement& to, const RecordedRun& run) {
  std::map<int, size_t> lanes;  // by thread
  for (const rt::TraceSlice& it : run.slices) lanes.emplace(it.thread, 0);
  for (auto& [thread, lane] : lanes) {
    lane = to.lanes.size();
    to.lanes.push_back(fmt::format("thread {}", thread));
  }
  std::vector<rt::TraceSlice> chunks = run.slices;
  std::sort(chunks.begin(), chunks.end(), [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Measurement::Slice*> last(to.lanes.size(), nullptr);
  to.slices.reserve(chunks.size());  // pointers stay valid
  for (const rt::TraceSlice& it : chunks) {
    const size_t lane = lanes.at(it.thread);
    const double begin = double(it.begin_ns) / 1e3 - run.begin_s * 1e6, us = double(it.end_ns - it.begin_ns) / 1e3;
    if (last[lane] && last[lane]->step == it.step) {
      last[lane]->us = begin + us - last[lane]->begin_us;
      last[lane]->chunks++;
    } else {
      to.slices.push_back({it.step, lane, begin, us, 1});
      last[lane] = &to.slices.back();
    }
  }
}

void use_costs_of(Explanation& explanation, const ModelProfile& profile) {
  const rt::Plan& plan = profile.model.plan();
  const double run_bytes = double(explanation.memory.weights + explanation.memory.arenas);
  if (profile.peaks) explanation.peaks = *profile.peaks, explanation.peaks_are_assumed = false;
  explanation.assumed.clear();
  for (size_t i = 0; i < explanation.steps.size(); i++) {
    const rt::StepProfile& p = profile.steps[i];
    explanation.steps[i].bound.reset();
    if (p.calls == 0) continue;
    StepCost& cost = explanation.steps[i].cost;
    cost = cost_of_call(plan, i, p);
    cost.calls = double(p.calls) / double(profile.runs);
    if (plan.steps[i].engine == rt::kHostEngine) continue;
    explanation.steps[i].bound =
        profile.peaks ? profile.bounds[i] : bound_of(cost, run_bytes, explanation.peaks, explanation.costs);
  }
}

std::string page(const ExplainOptions& options, const Explanation& explanation,
                 std::optional<Measurement> measurement) {
  return report::html_page({std::filesystem::path(options.model).filename().string(),
                            summary_text(options, explanation), explanation, std::move(measurement)});
}

}  // namespace

std::string explain_page(const ExplainOptions& options, Explanation& explanation, const CancelToken& cancel) {
  if (!options.profile) return page(options, explanation, std::nullopt);
  const Settings settings = profile_settings(options);
  RunRecorder recorder;
  ProfileOptions how;
  static_cast<ModelOptions&>(how) = options;
  const ReadyRun ready = open_run(how, settings, cancel, recorder.listener());
  const ReadyModel& model = ready.model;
  check(model.plan().steps.size() == explanation.steps.size(), "explain: the compiled model has other steps");
  const ModelProfile profile = profile_model(ready, recorder, {}, settings, cancel);
  use_costs_of(explanation, profile);
  keep_profile(options, settings, cancel, profile);
  explanation.profile = stored_form(profile);
  Measurement measurement;
  for (size_t i = 0; i < profile.steps.size(); i++) measurement.step_us.push_back(1e3 * profile.step_ms(i));
  const RecordedRun& run = profile.recorded.back();
  measurement.run_us = (run.end_s - run.begin_s) * 1e6;
  measurement.text = fmt::format("one run of {:.4g} ms on {}; the median of {} is {:.4g} ms; imbalance {:.3f}",
                                 measurement.run_us / 1e3, counted(model.threads(), "thread"),
                                 counted(int64_t(profile.times.seconds.size()), "run"), profile.times.median_ms(),
                                 profile.imbalance());
  add_slices(measurement, run);
  return page(options, explanation, std::move(measurement));
}

}  // namespace cppgen
