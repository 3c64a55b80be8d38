// cppgen bench
#include <algorithm>
#include <filesystem>
#include <tuple>

#include "cppgen/cli/bench/bench_caches.h"
#include "cppgen/cli/bench/bench_clients.h"
#include "cppgen/cli/bench/bench_onednn.h"
#include "cppgen/cli/bench/bench_onnxruntime.h"
#include "cppgen/cli/bench/bench_plot.h"
#include "cppgen/cli/bench/bench_report.h"
#include "cppgen/cli/bench/bench_sweep.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/values/compare.h"

namespace cppgen {
namespace {

// One stored value per element of an output, as verify requires.
std::vector<rt::ExpectedOutput> expected_of(const rt::Plan& plan, const std::vector<rt::Tensor>& outputs) {
  std::vector<rt::ExpectedOutput> expected;
  for (size_t i = 0; i < outputs.size(); i++)
    expected.push_back({plan.outputs[i].name, rt::copy_of(outputs[i].view()), outputs[i].dims(), 1});
  return expected;
}

bool is_against(const BenchOptions& options, const std::string& engine) {
  return std::count(options.against.begin(), options.against.end(), engine) > 0;
}

void check_options(const BenchOptions& options, const Settings& settings) {
  if (options.cold) require_onnx(options.model, "--cold");
  if (!options.sweeps.empty() && !options.against.empty()) user_error("--sweep compares settings: remove --against");
  if (const std::string folder = parent_directory(options.plot); !std::filesystem::is_directory(folder))
    user_error("--plot {}: there is no folder '{}'", options.plot, folder);
  require_writable("--plot", options.plot);
  if (options.against.empty()) return;
  require_onnx(options.model, "--against");
  for (const std::string& engine : options.against)
    if (std::count(options.against.begin(), options.against.end(), engine) > 1)
      user_error("--against names {} twice", engine);
  if (options.clients > 1) user_error("--against compares single callers: remove --clients");
  if (options.reference || settings.force_native_runtime)
    user_error("--against compares compiled code: remove --reference and FORCE_NATIVE_RUNTIME");
  if (is_against(options, "onednn")) contenders::onednn_plugin();  // which fails where oneDNN is not installed
}

using Library = std::shared_ptr<const contenders::OnnxRuntime>;

// Null if it takes no part.
Library onnxruntime_of(const BenchOptions& options) {
  if (is_against(options, "onnxruntime")) return contenders::OnnxRuntime::load(options.onnxruntime);
  if (!options.onnxruntime.empty()) user_error("--onnxruntime requires --against onnxruntime");
  return nullptr;
}

std::vector<std::unique_ptr<Baseline>> baselines(const BenchOptions& options, const Settings& settings,
                                                 const ReadyRun& run, const Library& library,
                                                 const CancelToken& cancel) {
  std::vector<std::unique_ptr<Baseline>> all;
  if (options.against.empty()) return all;
  const std::vector<rt::TensorView> inputs = tensor_views(run.model.plan(), run.inputs, "--against");
  const int threads = run.model.threads();
  for (const std::string& engine : options.against) {
    if (engine == "onednn")
      all.push_back(std::make_unique<TimedOnednn>(options, settings, threads, inputs, cancel));
    else
      all.push_back(std::make_unique<TimedOnnxRuntime>(library, options, run.model.plan(), threads, inputs));
    throw_if_cancelled(cancel);
  }
  return all;
}

void measure_models(BenchResult& result, const BenchOptions& options, const Settings& settings, const ReadyRun& run,
                    TimedModel& timed, const Library& library, const CancelToken& cancel) {
  auto others = baselines(options, settings, run, library, cancel);
  std::vector<Timed*> all{&timed};
  for (const auto& other : others) all.push_back(other.get());
  const TimingLimits limits{options.runs, options.seconds, options.any_load};
  std::vector<RunTimes> times;
  {
    const ProgressLine line(settings, "measuring");
    std::tie(times, result.load) = least_disturbed(load_rule(limits, run.model.threads() * options.clients),
                                                   [&] { return time_models(all, limits, cancel); });
  }
  result.times = std::move(times[0]);
  for (size_t i = 0; i < others.size(); i++) {
    auto agreement = rt::compare_outputs(expected_of(run.model.plan(), others[i]->outputs()), timed.outputs());
    result.against.push_back({std::move(others[i]), std::move(times[i + 1]), std::move(agreement)});
  }
}

ExitCode measure_sweep(const BenchOptions& options, const CancelToken& cancel) {
  const Sweep sweep = run_sweep(options, cancel);
  if (!options.plot.empty())
    if (const int error = publish_file(options.plot, sweep_svg(options, sweep)))
      user_error("cannot write '{}': {}", options.plot, error_text(error));
  print_result(options.json ? sweep_json(options, sweep) : for_terminal(sweep_text(options, sweep)));
  return kDone;
}

}  // namespace

ExitCode command_bench(const BenchOptions& options, const CancelToken& cancel) {
  const Settings given = read_settings(options);
  check_options(options, given);
  const Library library = onnxruntime_of(options);
  if (!options.sweeps.empty()) return measure_sweep(options, cancel);
  BenchCaches caches(options.cold);
  const Settings settings = caches.of(given);
  const ReadyRun run = open_run(options, settings, cancel);
  const auto timed = with_hint_on_inputs(run, [&] { return timed_model(run, options.clients); });
  BenchResult result;
  result.compile_s = compile_seconds(*timed);
  result.clients = options.clients;
  result.batch = batch_of(*timed, run.inputs);
  measure_models(result, options, settings, run, *timed, library, cancel);
  result.fresh = measure_in_fresh_process(options, settings, cancel);
  if (run.model.session) result.stats = run.model.session->stats();
  print_result(options.json ? bench_json(options, run.model, result)
                            : for_terminal(bench_text(options, run.model, result)));
  const bool agree = std::all_of(result.against.begin(), result.against.end(),
                                 [](const Against& against) { return against.agreement.ok(); });
  return agree ? kDone : kCheckFailed;
}

}  // namespace cppgen
