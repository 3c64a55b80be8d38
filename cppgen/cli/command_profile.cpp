// cppgen profile
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cppgen/cli/bench_runs.h"
#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/model_inputs.h"
#include "cppgen/cli/step_bounds.h"
#include "cppgen/flow/stages.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

struct Profile {
  const ReadyModel& model;
  RunTimes times;
  int64_t runs = 0;                    // those whose steps were measured
  std::vector<rt::StepProfile> steps;  // sums over these runs
  std::optional<MachinePeaks> peaks;   // unknown without a compiler
  std::vector<StepBound> bounds;       // of one call of each step, if the peaks are known

  // Of one run.
  double step_ms(size_t i) const { return steps[i].ns / double(runs) / 1e6; }
  double bound_ms(size_t i) const { return bounds[i].ns() * double(steps[i].calls) / double(runs) / 1e6; }
  double total_ms() const {
    double total = 0;
    for (size_t i = 0; i < steps.size(); i++) total += step_ms(i);
    return total;
  }
};

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
void measure(Profile& profile, const ProfileOptions& options, const std::vector<rt::Tensor>& inputs,
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
    CompileRequest request;
    request.settings = settings;
    const CompileOptions options = compile_options(request);
    const std::string cache_dir = options.kernel_cache && !options.force_disable_caches ? options.cache_dir : "";
    return machine_peaks(*isa, model.threads(), this_machine(), Toolchain::find(options.cxx), runner, cache_dir);
  } catch (const UserError& error) {
    log_warning("bounds are not shown, because the peaks of this machine are unknown: {}", error.what());
    return std::nullopt;
  }
}

std::vector<size_t> slowest_first(const Profile& profile) {
  std::vector<size_t> order(profile.steps.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return profile.steps[a].ns > profile.steps[b].ns; });
  return order;
}

std::string peaks_text(const Profile& profile) {
  std::string text = fmt::format("peaks  {:.0f} GFLOP/s", profile.peaks->gflops);
  for (const MachinePeaks::Level& level : profile.peaks->levels)
    text += fmt::format(", {} {:.0f} GB/s", level.name, level.gb_per_second);
  double sum = 0, arithmetic = 0;
  for (size_t i = 0; i < profile.steps.size(); i++) {
    sum += profile.bound_ms(i);
    if (profile.bounds[i].by_arithmetic()) arithmetic += profile.bound_ms(i);
  }
  text += fmt::format("\nbound  {:.4g} ms: {:.4g} ms of arithmetic, {:.4g} ms of memory", sum, arithmetic,
                      sum - arithmetic);
  if (sum > 0) text += fmt::format("; the steps take {:.2f} times as long", profile.total_ms() / sum);
  return text + "\n";
}

std::string bound_text(const Profile& profile, size_t i) {
  if (!profile.peaks) return "";
  const StepBound& bound = profile.bounds[i];
  const double least = profile.bound_ms(i);
  if (least == 0) return fmt::format("  {:>7}  {:<10}", "-", "-");
  return fmt::format("  {:>7.2f}  {:<10}", profile.step_ms(i) / least,
                     bound.by_arithmetic() ? std::string_view("arithmetic") : bound.level);
}

std::string text_of(const ProfileOptions& options, const Profile& profile) {
  const rt::Plan& plan = profile.model.plan();
  const double total = profile.total_ms();
  std::string text = fmt::format("{}: {}, {}, {}\n", options.model, profile.model.isa(),
                                 counted(profile.model.threads(), "thread"), step_text(count_steps(plan)));
  text += fmt::format("run    {:.4g} ms (median of {}), of which steps take {:.4g} ms\n", profile.times.median_ms(),
                      counted(int64_t(profile.times.seconds.size()), "run"), total);
  if (profile.peaks) text += peaks_text(profile);
  text += fmt::format("\n{:>5} {:>10} {:>6} {:>9} {:>7}{}  {:<8} {}\n", "step", "us", "%", "GFLOP/s", "GB/s",
                      profile.peaks ? fmt::format("  {:>7}  {:<10}", "x bound", "bound by") : "", "engine",
                      "kernel (nodes)");
  for (const size_t i : slowest_first(profile)) {
    const rt::StepProfile& p = profile.steps[i];
    const rt::Step& step = plan.steps[i];
    text += fmt::format("{:>5} {:>10.2f} {:>6.2f} {:>9.1f} {:>7.1f}{}  {:<8} {}", i, 1e3 * profile.step_ms(i),
                        total > 0 ? 100 * profile.step_ms(i) / total : 0, p.gflops_per_second(), p.gb_per_second(),
                        bound_text(profile, i), printable(step.engine), printable(step.name));
    if (!step.origins.empty()) text += " (" + printable(fmt::format("{}", fmt::join(step.origins, ", "))) + ")";
    text += '\n';
  }
  return text;
}

Json peaks_json(const MachinePeaks& peaks) {
  Json json;
  json["gflops_per_s"] = peaks.gflops;
  json["levels"] = Json::array();
  for (const MachinePeaks::Level& level : peaks.levels) {
    Json item;
    item["name"] = level.name;
    item["bytes"] = level.bytes ? Json(level.bytes) : Json();
    item["gb_per_s"] = level.gb_per_second;
    json["levels"].push_back(std::move(item));
  }
  return json;
}

std::string json_of(const ProfileOptions& options, const Profile& profile) {
  Json json;
  json["model"] = options.model;
  json["isa"] = profile.model.isa();
  json["threads"] = profile.model.threads();
  json["runs"] = profile.times.seconds.size();
  json["median_ms"] = profile.times.median_ms();
  json["min_ms"] = profile.times.min_ms();
  json["steps_ms"] = profile.total_ms();
  json["peaks"] = profile.peaks ? peaks_json(*profile.peaks) : Json();
  write_steps(json, profile.model.plan(), profile.steps);
  for (size_t i = 0; i < profile.steps.size(); i++) {
    Json& step = json["steps"][i];
    step["share"] = profile.total_ms() > 0 ? profile.step_ms(i) / profile.total_ms() : 0;
    if (!profile.peaks || profile.bounds[i].ns() == 0) continue;
    step["bound_ms"] = profile.bounds[i].ns() / 1e6;
    step["bound_by"] = profile.bounds[i].by_arithmetic() ? "arithmetic" : profile.bounds[i].level;
  }
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_profile(const ProfileOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("profile measures compiled code: remove FORCE_NATIVE_RUNTIME");
  settings.set("ENABLE_KERNEL_PROFILE", "1");
  const ReadyModel model = open_model(options, settings, cancel);
  const std::vector<rt::Tensor> inputs = make_inputs(model.plan(), model.bound, options.seed, settings.max_memory);
  Profile profile{model, {}, 0, {}, {}, {}};
  profile.peaks = peaks_of(model, settings);
  measure(profile, options, inputs, cancel);
  if (profile.peaks) profile.bounds = step_bounds(*model.session, profile.steps, *profile.peaks);
  print_result(options.json ? json_of(options, profile) : text_of(options, profile));
  return kDone;
}

}  // namespace cppgen
