// cppgen bench
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cppgen/cli/bench_baseline.h"
#include "cppgen/cli/bench_child.h"
#include "cppgen/cli/bench_runs.h"
#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/model_inputs.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/session/profile.h"
#include "runtime/values/compare.h"

namespace cppgen {
namespace {

struct Against {
  RunTimes times;
  baseline::Report report;
  rt::VerifyReport agreement;  // of its outputs with ours
};

struct BenchResult {
  RunTimes times;
  double compile_s = 0;  // to the first result, without what weights take
  FreshProcess fresh;
  rt::SessionStats stats;
};

// An empty cache of its own: the user's is neither read nor written.
Settings with_private_cache(Settings settings, const TempDirectory& directory) {
  settings.cache_dir = directory.path() + "/cache";
  return settings;
}

// One stored value per element of an output, as verify requires.
std::vector<rt::ExpectedOutput> expected_of(const rt::Plan& plan, const std::vector<rt::Tensor>& outputs) {
  std::vector<rt::ExpectedOutput> expected;
  for (size_t i = 0; i < outputs.size(); i++) {
    rt::Tensor copy(outputs[i].type(), outputs[i].dims());
    const auto* from = outputs[i].as<char>();
    std::copy(from, from + outputs[i].bytes(), copy.as<char>());
    expected.push_back({plan.outputs[i].name, std::move(copy), outputs[i].dims(), 1});
  }
  return expected;
}

double compile_seconds(const TimedModel& timed) {
  const ReadyModel& model = timed.model();
  return model.open_s - model.compiled.report.weights_s + timed.first_run_s();
}

void write_times(Json& json, const RunTimes& times) {
  json["runs"] = times.seconds.size();
  json["median_ms"] = times.median_ms();
  json["min_ms"] = times.min_ms();
  json["p99_ms"] = times.p99_ms();
}

Json against_json(const BenchOptions& options, const BenchResult& result, const Against& against) {
  double difference = 0;
  for (const rt::OutputReport& output : against.agreement.outputs)
    difference = std::max(difference, output.max_difference);
  Json json;
  json["engine"] = options.against;
  write_times(json, against.times);
  json["ratio"] = against.times.median_ms() / result.times.median_ms();
  json["outputs_agree"] = against.agreement.ok();
  json["max_abs_difference"] = difference;
  write_report(json, against.report);
  return json;
}

std::string json_of(const BenchOptions& options, const ReadyModel& model, const BenchResult& result,
                    const Against* against) {
  Json json;
  json["model"] = options.model;
  write_times(json, result.times);
  if (model.package) {
    json["compile_s"] = nullptr;
    json["weights_s"] = nullptr;
  } else {
    json["compile_s"] = result.compile_s;
    json["weights_s"] = model.compiled.report.weights_s;
  }
  json["load_s"] = result.fresh.load_s;
  json["peak_rss_mb"] = double(result.fresh.peak_rss_kb) / 1024;
  json["weights_bytes"] = result.stats.weights_bytes;
  json["arena_bytes"] = result.stats.arena_bytes;
  json["isa"] = model.isa();
  json["threads"] = model.threads();
  write_steps(json, model);
  if (against) json["against"] = against_json(options, result, *against);
  return json_text(json, 2) + "\n";
}

std::string times_text(const RunTimes& times) {
  return fmt::format("median {:.4g} ms, min {:.4g} ms, p99 {:.4g} ms ({} runs)", times.median_ms(), times.min_ms(),
                     times.p99_ms(), times.seconds.size());
}

std::string against_text(const BenchOptions& options, const BenchResult& result, const Against& against) {
  std::string text = fmt::format("{:<8} {}\n", options.against, times_text(against.times));
  text += report_text(against.report);
  text += fmt::format("ratio    {:.3f} ({} / cppgen, medians; above 1, cppgen is faster)\n",
                      against.times.median_ms() / result.times.median_ms(), options.against);
  return text + (against.agreement.ok() ? "outputs  agree\n" : "outputs  differ:\n" + against.agreement.text());
}

std::string text_of(const BenchOptions& options, const ReadyModel& model, const BenchResult& result,
                    const Against* against) {
  std::string text = fmt::format("{}: {}, {}, {}\n", options.model, model.isa(), counted(model.threads(), "thread"),
                                 step_text(count_steps(model.plan())));
  text += fmt::format("run      {}\n", times_text(result.times));
  if (against) text += against_text(options, result, *against);
  if (!model.package)
    text += fmt::format("compile  {} to the first result, plus {} for weights\n", seconds_text(result.compile_s),
                        seconds_text(model.compiled.report.weights_s));
  text += fmt::format("load     {} in a new process\n", seconds_text(result.fresh.load_s));
  text += fmt::format("memory   {} peak in a new process; weights {}, arena {}\n",
                      bytes_text(result.fresh.peak_rss_kb * 1024), bytes_text(result.stats.weights_bytes),
                      bytes_text(result.stats.arena_bytes));
  const auto profile = model.session ? model.session->profile() : std::vector<rt::StepProfile>();
  if (!profile.empty() && profile[0].calls > 0)
    text += rt::profile_text(model.plan(), profile, model.session->labels());
  return text;
}

void check_against(const BenchOptions& options, const Settings& settings) {
  if (options.against.empty()) return;
  require_onnx(options.model, "--against");
  if (options.reference || settings.force_native_runtime)
    user_error("--against compares compiled code: remove --reference and FORCE_NATIVE_RUNTIME");
}

// Threads that wait for each other suffer most from a busy machine, and OpenMP's, which spin, more than ours.
void warn_if_busy() {
  double load = 0;
  const unsigned cpus = std::thread::hardware_concurrency();
  if (getloadavg(&load, 1) == 1 && load > 1 + 1.5 * cpus)
    log_warning(
        "this machine is busy (load {:.1f} on {} CPUs): the measured times are unreliable, oneDNN's most of all", load,
        cpus);
}

Against compare_with_onednn(const BenchOptions& options, const Settings& settings, TimedModel& timed,
                            const std::vector<rt::Tensor>& inputs, BenchResult& result, const CancelToken& cancel) {
  TimedOnednn other(options, settings, timed.model().threads(), inputs, cancel);
  warn_if_busy();
  auto times = time_models({&timed, &other}, options.runs, cancel);
  result.times = std::move(times[0]);
  return {std::move(times[1]), other.report(),
          rt::compare_outputs(expected_of(timed.model().plan(), other.outputs()), timed.outputs())};
}

}  // namespace

ExitCode command_bench(const BenchOptions& options, const CancelToken& cancel) {
  const TempDirectory directory(system_temp_directory(), "cppgen-bench.");
  const Settings settings = with_private_cache(read_settings(options), directory);
  check_against(options, settings);
  const ReadyModel model = open_model(options, settings, cancel);
  const std::vector<rt::Tensor> inputs = make_inputs(model.plan(), model.bound, options.seed, settings.max_memory);
  TimedModel timed(model, inputs);
  BenchResult result;
  result.compile_s = compile_seconds(timed);
  std::optional<Against> against;
  if (options.against.empty())
    result.times = std::move(time_models({&timed}, options.runs, cancel)[0]);
  else
    against = compare_with_onednn(options, settings, timed, inputs, result, cancel);
  result.fresh = measure_in_fresh_process(options, settings, cancel);
  if (model.session) result.stats = model.session->stats();
  const Against* other = against ? &*against : nullptr;
  print_result(options.json ? json_of(options, model, result, other) : text_of(options, model, result, other));
  return against && !against->agreement.ok() ? kCheckFailed : kDone;
}

}  // namespace cppgen
