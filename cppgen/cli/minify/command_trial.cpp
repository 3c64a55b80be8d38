// The hidden command of `minify`: what may crash or hang runs here, in a process of its own.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/minify/model_values.h"
#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/profile/step_times.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/cli/verify/checked_data.h"
#include "cppgen/compile/compile_error.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

// Written before each stage, so that it says how far a process came that did not end in an orderly way.
void write_note(const TrialOptions& options, const Json& json) {
  if (const int error = write_file(options.result, json_text(json, -1)))
    user_error("cannot write '{}': {}", options.result, error_text(error));
}

void note_stage(const TrialOptions& options, const char* stage) {
  Json json;
  json["stage"] = stage;
  json["began"] = seconds_now();
  write_note(options, json);
}

[[noreturn]] void note_refusal(const TrialOptions& options, const std::exception& error, bool interrupted = false) {
  Json json;
  json["stage"] = interrupted ? "interrupted" : "refused";
  json["error"] = error.what();
  write_note(options, json);
  throw;
}

// The step that exceeds its bound by the most time, among those that exceed it by a factor of two.
Json slowest_step(const ModelProfile& profile) {
  Json json = Json::object();
  double most = 0;
  for (size_t i = 0; i < profile.steps.size(); i++) {
    const double ms = profile.step_ms(i), bound = profile.bound_ms(i);
    if (bound <= 0 || ms < 2 * bound || ms - bound <= most) continue;
    most = ms - bound;
    json["kernel"] = profile.model.plan().steps[i].name;
    json["ms"] = ms;
    json["bound_ms"] = bound;
  }
  return json;
}

// Adds the slowest step to the note, and the share of other programs if they disturbed every measurement.
void measure(Json& note, const ReadyModel& model, const TrialOptions& options, const Settings& given,
             const CancelToken& cancel) {
  const std::vector<rt::Value> inputs = inputs_of({options.data, false}, model.plan());
  const TimingLimits limits{.runs = 20, .seconds = {}};
  const auto peaks = peaks_of(model, given);
  if (!peaks) user_error("the peaks of this machine could not be measured, so no step can be called slow");
  auto [profile, load] = least_disturbed(load_rule(limits, model.threads()), [&] {
    ModelProfile measured{model, {}, 0, {}, {}, {}};
    measure_steps(measured, limits, inputs, cancel);
    return measured;
  });
  profile.peaks = peaks;
  find_bounds(profile, schedule::costs_with(given.costs));
  note["slowest"] = slowest_step(profile);
  if (load.busy()) note["other_programs"] = load.share;
}

// The first output that differs, or "".
std::string difference_in(const rt::VerifyReport& report) {
  const auto wrong = std::find_if(report.outputs.begin(), report.outputs.end(), [](const auto& o) { return !o.ok; });
  if (wrong != report.outputs.end()) return fmt::format("output '{}': {}", printable(wrong->name), wrong->reason);
  return report.reason;
}

ReadyModel open(const TrialOptions& options, const Settings& settings, const CancelToken& cancel) {
  try {
    return open_model(options, settings, cancel, [&](const rt::Plan& plan, const auto& bound) {
      check_inputs(plan, bound, inputs_of({options.data, false}, plan));
    });
  } catch (const CompileError& error) {
    const bool any_limit = settings.source(SettingId::compile_timeout_seconds).kind == SettingSource::fallback;
    note_refusal(options, error,
                 error.kind == CompileFailure::interrupted || (error.kind == CompileFailure::timed_out && any_limit));
  } catch (const RefusedSource& error) {
    note_refusal(options, error);
  }
}

ExitCode run_trial(const TrialOptions& options, const Settings& given, const Settings& settings,
                   const CancelToken& cancel) {
  note_stage(options, "compile");
  const ReadyModel model = open(options, settings, cancel);
  note_stage(options, "run");
  Json json;
  json["stage"] = "end";
  if (options.measure) {
    measure(json, model, options, given, cancel);
  } else if (holds_results(options.data)) {
    const CheckedData checked = check_data(model, {options.data, false}, tolerances_of(options));
    json["differs"] = difference_in(checked.report);
  } else {
    model.run_values(inputs_of({options.data, false}, model.plan()));
  }
  write_note(options, json);
  return kDone;
}

}  // namespace

ExitCode command_trial(const TrialOptions& options, const CancelToken& cancel) {
  const Settings given = read_settings(options);
  Settings settings = given;
  for (const std::string& text : options.overrides) {
    const size_t at = text.find('=');
    settings.set(text.substr(0, at), text.substr(at + 1));
  }
  settings.profile_output.clear(), settings.ops_record.clear();  // files of the model itself
  settings.remote_cache.clear();
  settings.save_args = settings.trace = settings.time_compilation = settings.enable_asm_info = false;
  if (options.measure) settings.set("ENABLE_KERNEL_PROFILE", "1");
  if (options.values.empty()) return run_trial(options, given, settings, cancel);
  options.types ? write_random_values(options, settings, cancel) : write_reference_values(options, settings, cancel);
  return kDone;
}

}  // namespace cppgen
