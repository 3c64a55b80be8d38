#include "cppgen/tune/forecast.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "cppgen/flow/explain.h"
#include "cppgen/tune/winners.h"

namespace cppgen::tune {
namespace {

// An estimate: both predictions are of the same computation, so that errors they share cancel.
constexpr double kClearlySlower = 1.25;

}  // namespace

Forecast::Forecast(const CompileRequest& request, schedule::Choices base)
    : request_(request), base_(std::move(base)), usual_(predict({})) {}

Forecast::Predicted Forecast::predict(schedule::Choices choices) const {
  CompileRequest request = request_;
  choices.insert(base_.begin(), base_.end());
  request.choices = std::make_shared<const schedule::Choices>(std::move(choices));
  request.settings.trace = false, request.settings.graph_diagram = false;
  Explanation explained = explain_model(request);
  Predicted predicted{std::move(explained.sites), {}};
  for (const Explanation::Step& step : explained.steps)
    if (step.bound) predicted.steps.push_back({step.origins, step.cost.calls * step.bound->predicted_ns / 1e6});
  return predicted;
}

std::optional<Forecast::Gain> Forecast::of(const Candidate& candidate) const {
  if (candidate.choice.tuning.empty()) return std::nullopt;
  const Predicted predicted = predict(everywhere(candidate, usual_.sites));
  const auto regions = changed_regions({usual_.sites, usual_.steps}, {predicted.sites, predicted.steps});
  Gain gain;
  gain.unchanged = regions.empty();
  const bool whole = candidate.scope == schedule::TuningScope::whole;
  for (const Region& r : regions) gain.ms += whole ? saved_ms(r) : std::max(0.0, saved_ms(r));
  const auto slower = [](const Region& r) { return r.ms > kClearlySlower * r.usual_ms; };
  gain.hopeless = !regions.empty() && (whole ? gain.ms < 0 : std::all_of(regions.begin(), regions.end(), slower));
  return gain;
}

Shortlist shortlist(const Forecast& forecast, std::vector<Candidate> all, int64_t most_of_kind) {
  Shortlist result;
  std::vector<std::pair<double, Candidate>> ranked;
  for (Candidate& candidate : all) {
    const auto gain = forecast.of(candidate);
    if (gain && gain->unchanged)
      result.unchanged++;
    else if (gain && gain->hopeless)
      result.dropped.push_back(candidate.name);
    else
      ranked.emplace_back(gain ? gain->ms : std::numeric_limits<double>::infinity(), std::move(candidate));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<schedule::TuningScope, int64_t> taken;
  for (auto& [gain, candidate] : ranked)
    if (taken[candidate.scope]++ < most_of_kind) result.candidates.push_back(std::move(candidate));
  return result;
}

}  // namespace cppgen::tune
