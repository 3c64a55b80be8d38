#include "cppgen/tune/forecast.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "cppgen/flow/explain/explain.h"
#include "cppgen/tune/winners.h"

namespace cppgen::tune {
namespace {

// An estimate: both predictions are of the same computation, so that errors they share cancel.
constexpr double kClearlySlower = 1.25;
// The part of the unexplained time that another plan may save.
constexpr double kHope = 0.1;

bool computes(const StepTime& step, const SiteReport& site) {
  return !site.origins.empty() && std::find(step.nodes.begin(), step.nodes.end(), site.origins[0]) != step.nodes.end();
}

}  // namespace

Forecast::Forecast(const CompileRequest& request, schedule::Choices base, const std::vector<StepTime>& profile)
    : request_(request), base_(std::move(base)), usual_(predict({})) {
  std::map<std::vector<std::string>, double> measured;
  for (const StepTime& step : profile) measured[step.nodes] += step.ms;
  for (const SiteReport& site : usual_.sites)
    for (const StepTime& step : usual_.steps) {
      const auto found = measured.find(step.nodes);
      if (found == measured.end() || step.ms <= 0 || !computes(step, site)) continue;
      const auto [it, is_new] = measured_ratio_.emplace(site.site, found->second / step.ms);
      if (!is_new) it->second = std::min(it->second, found->second / step.ms);
    }
}

double Forecast::ratio_of(const Region& region) const {
  double ratio = 0;
  for (const std::string& site : region.sites)
    if (const auto it = measured_ratio_.find(site); it != measured_ratio_.end()) ratio = std::max(ratio, it->second);
  return ratio > 0 ? ratio : 1;
}

std::vector<std::string> Forecast::surprising_sites() const {
  std::vector<std::string> sites;
  for (const auto& [site, ratio] : measured_ratio_)
    if (ratio > kSurprising) sites.push_back(site);
  return sites;
}

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
  const Predicted predicted = predict(everywhere(candidate, usual_.sites));
  const auto regions = changed_regions({usual_.sites, usual_.steps}, {predicted.sites, predicted.steps});
  Gain gain;
  gain.unchanged = regions.empty();
  if (!gain.unchanged && candidate.choice.tuning.empty()) return std::nullopt;
  const bool whole = candidate.scope == schedule::TuningScope::whole;
  bool all_slower = true;
  for (const Region& r : regions) {
    const double ratio = ratio_of(r), saved = saved_ms(r) * ratio;
    const bool surprising = ratio > kSurprising;
    const double hoped = surprising ? kHope * (ratio - 1) * r.usual_ms : 0;
    gain.ms += surprising || !whole ? std::max(saved, hoped) : saved;
    gain.surprising |= surprising;
    all_slower &= !surprising && r.ms > kClearlySlower * r.usual_ms;
  }
  gain.hopeless = !gain.unchanged && (whole ? gain.ms < 0 : all_slower);
  return gain;
}

Shortlist shortlist(const Forecast& forecast, std::vector<Candidate> all, int64_t most_of_kind,
                    const std::vector<Candidate>& further) {
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
  const auto is_ranked = [&](const Candidate& c) {
    return std::any_of(ranked.begin(), ranked.end(), [&](const auto& r) { return r.second.name == c.name; });
  };
  if (!forecast.surprising_sites().empty())
    for (const Candidate& candidate : further)
      if (const auto gain = is_ranked(candidate) ? std::nullopt : forecast.of(candidate); gain && gain->surprising)
        ranked.emplace_back(gain->ms, candidate);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::map<schedule::TuningScope, int64_t> taken;
  for (auto& [gain, candidate] : ranked)
    if (taken[candidate.scope]++ < most_of_kind) result.candidates.push_back(std::move(candidate));
  return result;
}

}  // namespace cppgen::tune
