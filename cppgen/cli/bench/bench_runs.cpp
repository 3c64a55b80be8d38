#include "cppgen/cli/bench/bench_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"

namespace cppgen {
namespace {

constexpr double kNoTime = std::numeric_limits<double>::infinity();
constexpr double kSecondsPerModel = 3;
constexpr int64_t kLeastRuns = 10, kMostRuns = 1000;  // of each client, without --runs and --seconds
constexpr int64_t kMostRecorded = 10'000'000;         // with --seconds: their times take memory
constexpr double kWarmUpSeconds = 0.3;
constexpr int64_t kMostWarmUpRuns = 50;
constexpr int64_t kLeastRunsPerTurn = 5;
constexpr double kSecondsPerTurn = 0.05;

bool all_tensors(const rt::Plan& plan) {
  const auto is_tensor = [](const rt::TensorInfo& info) { return info.kind == ValueKind::tensor; };
  return std::all_of(plan.inputs.begin(), plan.inputs.end(), is_tensor) &&
         std::all_of(plan.outputs.begin(), plan.outputs.end(), is_tensor);
}

// Runs until caches, page tables and the CPU's frequency have settled. Returns the least time of a run in seconds.
double warm_up(Timed& model, const CancelToken& cancel) {
  RunTimes times;
  model.run_until({kMostWarmUpRuns * model.clients(), kWarmUpSeconds}, times, cancel);
  return *std::min_element(times.seconds.begin(), times.seconds.end());
}

// The work of each model in all turns.
RunLimit whole_limit(const TimingLimits& limits, double slowest, int64_t clients) {
  if (limits.seconds) return {kMostRecorded, *limits.seconds};
  if (limits.runs) return {*limits.runs, kNoTime};
  const double fit = slowest > 0 ? kSecondsPerModel / slowest : double(kMostRuns);
  return {int64_t(std::clamp(fit, double(kLeastRuns), double(kMostRuns))) * clients, kNoTime};
}

// The rest of it, of which no run is left if `runs` is 0.
RunLimit left_of(const RunLimit& whole, const RunTimes& done) {
  const int64_t runs = whole.runs - int64_t(done.seconds.size());
  return done.wall_s < whole.seconds ? RunLimit{runs, whole.seconds - done.wall_s} : RunLimit{0, 0};
}

RunLimit turn_of(const RunLimit& left, double seconds_per_run, int64_t clients) {
  const double fit = std::min(kSecondsPerTurn / std::max(seconds_per_run, 1e-7), double(kMostRecorded));
  return {std::min(left.runs, std::max(kLeastRunsPerTurn, int64_t(fit)) * clients), left.seconds};
}

}  // namespace

Caller::Caller(const ReadyModel& model, const std::vector<rt::Value>& inputs)
    : model_(model), values_(inputs), tensors_(all_tensors(model.plan())) {
  if (!tensors_) {
    (void)model_.run_values(values_);
    return;
  }
  for (const rt::Value& value : values_) inputs_.push_back(value.tensor()->view());
  outputs_ = model_.run(inputs_);
  if (model_.has_states()) states_.emplace(*model_.session, inputs_);
  for (size_t i = 0; i < outputs_.size(); i++)
    if (!states_ || !rt::state_of_output(model_.plan(), int64_t(i))) output_views_.push_back(outputs_[i].output());
}

double Caller::run() {
  const double begin = seconds_now();
  if (!tensors_)
    (void)model_.run_values(values_);
  else if (states_)
    states_->run(output_views_);
  else if (model_.session)
    model_.session->run(inputs_, output_views_);
  else
    outputs_ = model_.run(inputs_);
  return seconds_now() - begin;
}

TimedModel::TimedModel(const ReadyModel& model, const std::vector<rt::Value>& inputs)
    : model_(model), begin_(seconds_now()), caller_(model, inputs), first_run_s_(seconds_now() - begin_) {}

void TimedModel::rest() {
  // Helpers stay hot for SPIN_MICROSECONDS, then oneTBB's own threads look for work for a while.
  constexpr std::chrono::milliseconds kUntilIdle(2);
  std::this_thread::sleep_for(kUntilIdle);
}

LoadRule load_rule(const TimingLimits& limits, int64_t threads) {
  LoadRule rule;
  rule.threads = int(std::min<int64_t>(threads, std::numeric_limits<int>::max()));
  if (limits.seconds) rule.attempts = 1;
  if (limits.any_load) rule.source = nullptr;
  return rule;
}

std::string load_text(const Load& load) {
  if (!load.busy()) return "";
  return fmt::format("busy     other programs took {:.0f}% of the CPU time: the times are too long\n",
                     100 * load.share);
}

std::vector<RunTimes> time_models(const std::vector<Timed*>& models, const TimingLimits& limits,
                                  const CancelToken& cancel) {
  std::vector<double> least;
  for (Timed* model : models) {
    least.push_back(warm_up(*model, cancel));
    model->rest();
  }
  const int64_t clients = models[0]->clients();
  const RunLimit whole = whole_limit(limits, *std::max_element(least.begin(), least.end()), clients);
  std::vector<RunTimes> times(models.size());
  if (models.size() == 1) models[0]->run_until(whole, times[0], cancel);
  bool more = models.size() > 1;
  for (size_t round = 0; more; round++) {
    more = false;
    for (size_t k = 0; k < models.size(); k++) {
      const size_t m = (round + k) % models.size();
      const RunLimit left = left_of(whole, times[m]);
      if (left.runs <= 0) continue;
      RunTimes uncounted;
      models[m]->run_until({clients, kNoTime}, uncounted, cancel);
      models[m]->run_until(turn_of(left, least[m], clients), times[m], cancel);
      models[m]->rest();
      more = true;
    }
  }
  for (RunTimes& t : times) std::sort(t.seconds.begin(), t.seconds.end());
  return times;
}

}  // namespace cppgen
