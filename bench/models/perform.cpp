#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "bench/models/task.h"
#include "cppgen/cli/bench/bench_onednn.h"
#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "runtime/base/errors.h"
#include "runtime/values/npy.h"

namespace cppgen::bench {
namespace {

constexpr double kWarmUpSeconds = 0.15;
constexpr int kLeastWarmUpRuns = 2;

std::vector<double> run_timed(Timed& timed, int runs) {
  double spent = 0;
  for (int i = 0; i < kLeastWarmUpRuns || spent < kWarmUpSeconds; i++) spent += timed.run();
  std::vector<double> seconds;
  for (int i = 0; i < runs; i++) seconds.push_back(timed.run());
  return seconds;
}

void write_outputs(const std::string& folder, const std::vector<rt::Tensor>& outputs) {
  if (folder.empty()) return;
  std::filesystem::create_directories(folder);
  for (size_t i = 0; i < outputs.size(); i++) rt::write_npy(fmt::format("{}/{}.npy", folder, i), outputs[i].view());
}

BenchOptions options_of(const Task& task) {
  BenchOptions options;
  options.model = task.model;
  options.settings = task.settings;
  options.threads = std::to_string(task.threads);
  return options;
}

TaskResult perform_compiled(const Task& task, std::vector<rt::Tensor> tensors) {
  const CancelToken never;
  const BenchOptions options = options_of(task);
  const double begin = seconds_now();
  const ReadyModel model = open_model(options, read_settings(options), never);
  TaskResult result{
      fmt::format("{}, {}", model.isa(), step_text(count_steps(model.plan()))), seconds_now() - begin, {}, {}};
  const std::vector<rt::Value> inputs(std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end()));
  TimedModel timed(model, inputs);
  result.seconds = run_timed(timed, task.runs);
  write_outputs(task.outputs, timed.outputs());
  return result;
}

TaskResult perform_onednn(const Task& task, const std::vector<rt::Tensor>& inputs) {
  const CancelToken never;
  const BenchOptions options = options_of(task);
  const Settings settings = read_settings(options);
  const double begin = seconds_now();
  TimedOnednn timed(options, settings, task.threads, views_of(inputs), never);
  TaskResult result{"", seconds_now() - begin, {}, {}};
  result.seconds = run_timed(timed, task.runs);
  const contenders::Report report = timed.report();
  result.implementation = fmt::format("{} primitives {:.1f} ms, cppgen kernels for the rest {:.1f} ms",
                                      report.primitives, report.primitives_ms, report.kernels_ms);
  write_outputs(task.outputs, timed.outputs());
  return result;
}

}  // namespace

TaskResult perform(const Task& task) {
  std::vector<rt::Tensor> inputs;
  for (const std::string& file : task.inputs) inputs.push_back(rt::read_npy(file));
  if (task.engine == "cppgen") return perform_compiled(task, std::move(inputs));
  if (task.engine == "onednn") return perform_onednn(task, inputs);
  user_error("there is no engine '{}' (cppgen, onednn)", task.engine);
}

}  // namespace cppgen::bench
