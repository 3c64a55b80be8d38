#include "cppgen/cli/profile/onednn_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "cppgen/cli/bench/bench_onednn.h"
#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/ready_run.h"

namespace cppgen {
namespace {

// Disjoint sets of steps.
class Sets {
 public:
  explicit Sets(size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), size_t(0)); }

  // The least member of the set.
  size_t of(size_t step) const {
    while (parents_[step] != step) step = parents_[step];
    return step;
  }
  void unite(size_t a, size_t b) {
    a = of(a), b = of(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parents_;
};

}  // namespace

OnednnTimes match_steps(const rt::Plan& plan, const std::vector<contenders::StepReport>& reports) {
  std::map<std::string, std::vector<size_t>> steps_of_node;
  for (size_t i = 0; i < plan.steps.size(); i++)
    for (const std::string& node : plan.steps[i].origins) steps_of_node[node].push_back(i);
  Sets sets(plan.steps.size());
  std::vector<std::optional<size_t>> first(reports.size());  // a step of the plan, by step of oneDNN
  for (size_t r = 0; r < reports.size(); r++)
    for (const std::string& node : reports[r].nodes)
      for (const size_t step : steps_of_node[node]) {
        if (!first[r]) first[r] = step;
        sets.unite(*first[r], step);
      }

  OnednnTimes times;
  std::map<size_t, double> ms;  // by set
  for (size_t r = 0; r < reports.size(); r++)
    (first[r] ? ms[sets.of(*first[r])] : times.other_ms) += reports[r].median_ms;
  std::map<size_t, size_t> regions;  // by set
  times.region_of_step.resize(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const size_t set = sets.of(i);
    if (!ms.contains(set)) continue;
    const auto [at, is_new] = regions.emplace(set, times.regions.size());
    if (is_new) times.regions.push_back({{}, ms[set]});
    times.regions[at->second].steps.push_back(i);
    times.region_of_step[i] = at->second;
  }
  return times;
}

OnednnTimes times_on_onednn(const TimedOptions& options, const Settings& settings, const ReadyRun& run,
                            const CancelToken& cancel) {
  const rt::Plan& plan = run.model.plan();
  TimedOnednn timed(options, settings, run.model.threads(), tensor_views(plan, run.inputs, "--against"), cancel);
  const RunTimes runs = std::move(time_models({&timed}, {options.runs, options.seconds, options.any_load}, cancel)[0]);
  OnednnTimes times = match_steps(plan, timed.report().steps);
  times.median_ms = runs.median_ms(), times.runs = int64_t(runs.seconds.size());
  return times;
}

}  // namespace cppgen
