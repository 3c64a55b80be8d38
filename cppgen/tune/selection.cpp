#include "cppgen/tune/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/tune/forecast.h"
#include "cppgen/tune/measurements.h"
#include "cppgen/tune/winners.h"

namespace cppgen::tune {
namespace {

constexpr int kMostDescents = 4;  // of COORDINATE_DESCENT_TUNING

}  // namespace

Selection::Selection(const TuneRequest& request, const TuningPlace& place, Measurements& measurements,
                     TuneReport& report)
    : request_(request),
      settings_(request.compile.settings),
      measurements_(measurements),
      report_(report),
      usual_tuning_(target_of(likely_isa(settings_), settings_).tuning),
      experience_(experience_file(settings_), place) {}

std::vector<Candidate> Selection::all() const {
  std::vector<Candidate> list;
  if (!settings_.disable_profiler_codegen) list = candidates(settings_, usual_tuning_);
  report_.considered = int(list.size());
  report_.resumed = measurements_.journal().count(list);
  if (report_.resumed > 0 && request_.on_note)
    request_.on_note(
        fmt::format("resuming: {} of {} candidates were measured before", report_.resumed, report_.considered));
  return list;
}

std::vector<Candidate> Selection::shortlisted(std::vector<Candidate> all, int64_t most_of_kind) {
  if (!settings_.force_profile && !settings_.force_disable_caches) leave_out_hopeless(all);
  if (all.empty()) return all;
  if (measurements_.stop_if_time_is_up(all.size())) return {};
  measurements_.progress("predicting the times of candidates", 0, int(all.size()));
  const Variants& variants = measurements_.variants();
  const Forecast forecast(request_.compile, variants.base(), variants.base_steps());
  std::vector<Candidate> further;
  if (all[0].scope != schedule::TuningScope::whole) further = further_candidates(settings_, usual_tuning_);
  Shortlist list = shortlist(forecast, std::move(all), most_of_kind, further);
  for (std::string& site : forecast.surprising_sites())
    if (std::find(report_.surprising.begin(), report_.surprising.end(), site) == report_.surprising.end())
      report_.surprising.push_back(std::move(site));
  report_.unchanged += list.unchanged;
  report_.dropped.insert(report_.dropped.end(), list.dropped.begin(), list.dropped.end());
  return std::move(list.candidates);
}

void Selection::leave_out_hopeless(std::vector<Candidate>& list) {
  const std::vector<SiteReport>& sites = measurements_.variants().sites();
  const auto hopeless = std::stable_partition(list.begin(), list.end(),
                                              [&](const Candidate& c) { return !experience_.is_hopeless(c, sites); });
  for (auto c = hopeless; c != list.end(); c++) report_.hopeless.push_back(c->name);
  list.erase(hopeless, list.end());
}

void Selection::descend(std::vector<Candidate>& list) {
  const auto winners = [&] { return winners_among(list, measurements_.journal(), measurements_.variants().run_ms()); };
  for (int i = 0; i < kMostDescents; i++) {
    std::vector<Candidate> found;
    for (const Winner& w : winners())
      for (int64_t steps = 1; steps <= settings_.coordinate_descent_radius; steps++)
        for (Candidate& c : neighbours(w.candidate, usual_tuning_, int(steps))) found.push_back(std::move(c));
    if (!extend(list, found)) break;
  }
  if (!settings_.coordinate_descent_check_all_directions) return;
  std::vector<Candidate> pairs;
  const std::vector<Winner> won = winners();
  for (const Winner& a : won)
    for (const Winner& b : won)
      if (auto pair = both(a.candidate, b.candidate)) pairs.push_back(std::move(*pair));
  extend(list, pairs);
}

// Measures those that are not in the list, and adds them to it. Whether there were any.
bool Selection::extend(std::vector<Candidate>& list, const std::vector<Candidate>& found) {
  std::vector<Candidate> more;
  for (const Candidate& c : found) {
    const auto same = [&](const Candidate& other) { return other.name == c.name; };
    if (std::none_of(list.begin(), list.end(), same) && std::none_of(more.begin(), more.end(), same)) more.push_back(c);
  }
  measurements_.measure_all(more);
  std::move(more.begin(), more.end(), std::back_inserter(list));
  return !more.empty();
}

void Selection::learn(const std::vector<Candidate>& list) {
  const Journal& journal = measurements_.journal();
  if (settings_.log_autotune && request_.on_line)
    for (const std::string& line : choice_lines(list, journal, settings_.autotune_num_choices_displayed))
      request_.on_line(line);
  experience_.add(list, journal, model_name(request_), measurements_.variants().run_ms());
}

std::string model_name(const TuneRequest& request) {
  return std::filesystem::path(request.compile.model).filename().string();
}

}  // namespace cppgen::tune
