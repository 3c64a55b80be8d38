#include "cppgen/report/explained_totals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/plan/module.h"

namespace cppgen::report {

using MeasuredStep = StoredProfile::Step;

std::vector<std::string> control_flow(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Explanation::Step& step : explanation.steps)
    if (step.engine == rt::kHostEngine &&
        (step.name == "if" || step.name == "loop" || step.name == "scan" || step.name == "map"))
      names.insert(names.end(), step.origins.begin(), step.origins.end());
  return names;
}

std::vector<std::string> host_operators(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Explanation::Step& step : explanation.steps)
    if (step.engine == rt::kHostEngine)
      names.push_back(fmt::format("{} ({})", step.name, fmt::join(step.origins, ", ")));
  return names;
}

std::vector<const MeasuredStep*> far_steps(const StoredProfile& profile) {
  constexpr double kFar = 2, kShare = 0.01;
  const auto excess = [](const MeasuredStep& step) { return step.ms - step.bound_ms; };
  std::vector<const MeasuredStep*> steps;
  for (const MeasuredStep& step : profile.steps)
    if (step.bound_ms > 0 && step.ms > kFar * step.bound_ms && excess(step) > kShare * profile.steps_ms())
      steps.push_back(&step);
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const MeasuredStep* a, const MeasuredStep* b) { return excess(*a) > excess(*b); });
  return steps;
}

}  // namespace cppgen::report
