#include "cppgen/cli/bench_runs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/model_inputs.h"

namespace cppgen {
namespace {

constexpr double kSecondsPerModel = 3;
constexpr int64_t kLeastRuns = 10, kMostRuns = 1000;
constexpr double kWarmUpSeconds = 0.3;
constexpr int kMostWarmUpRuns = 50;
constexpr int64_t kRunsPerTurn = 5;

// Until caches, page tables and the CPU's frequency have settled. Returns the least time of a run in seconds.
double warm_up(Timed& model, const CancelToken& cancel) {
  double least = HUGE_VAL, spent = 0;
  for (int i = 0; i < kMostWarmUpRuns && spent < kWarmUpSeconds; i++) {
    const double seconds = model.run();
    least = std::min(least, seconds);
    spent += seconds;
    throw_if_cancelled(cancel);
  }
  return least;
}

}  // namespace

TimedModel::TimedModel(const ReadyModel& model, const std::vector<rt::Tensor>& inputs)
    : model_(model), inputs_(views_of(inputs)) {
  const double begin = seconds_now();
  outputs_ = model_.run(inputs_);
  first_run_s_ = seconds_now() - begin;
  for (rt::Tensor& output : outputs_) output_views_.push_back(output.output());
}

double TimedModel::run() {
  const double begin = seconds_now();
  if (model_.session) {
    model_.session->run(inputs_, output_views_);
  } else {
    outputs_ = model_.run(inputs_);
  }
  return seconds_now() - begin;
}

double RunTimes::median_ms() const {
  const size_t n = seconds.size();
  return (seconds[(n - 1) / 2] + seconds[n / 2]) / 2 * 1e3;
}

double RunTimes::p99_ms() const {
  const auto rank = size_t(std::ceil(0.99 * double(seconds.size())));
  return seconds[std::max<size_t>(rank, 1) - 1] * 1e3;
}

void TimedModel::rest() {
  // Helpers stay hot for SPIN_MICROSECONDS, then oneTBB's own threads look for work for a while.
  constexpr std::chrono::milliseconds kUntilIdle(2);
  std::this_thread::sleep_for(kUntilIdle);
}

std::vector<RunTimes> time_models(std::vector<Timed*> models, std::optional<int64_t> runs, const CancelToken& cancel) {
  double slowest = 0;
  for (Timed* model : models) {
    slowest = std::max(slowest, warm_up(*model, cancel));
    model->rest();
  }
  const double fit = slowest > 0 ? kSecondsPerModel / slowest : double(kMostRuns);
  const auto count = size_t(runs.value_or(int64_t(std::clamp(fit, double(kLeastRuns), double(kMostRuns)))));
  std::vector<RunTimes> times(models.size());
  while (times.back().seconds.size() < count)
    for (size_t m = 0; m < models.size(); m++) {
      if (models.size() > 1) models[m]->run();
      for (int64_t i = 0; i < kRunsPerTurn && times[m].seconds.size() < count; i++) {
        times[m].seconds.push_back(models[m]->run());
        throw_if_cancelled(cancel);
      }
      if (models.size() > 1) models[m]->rest();
    }
  for (RunTimes& t : times) std::sort(t.seconds.begin(), t.seconds.end());
  return times;
}

}  // namespace cppgen
