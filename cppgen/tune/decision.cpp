#include "cppgen/tune/decision.h"

#include <algorithm>
#include <map>

#include "cppgen/tune/measurements.h"

namespace cppgen::tune {
namespace {

using schedule::Choices;

constexpr int kMoreTurns = 5;     // of all choices together
constexpr int kMostPrograms = 3;  // choices for the whole program whose whole runs are measured

}  // namespace

const std::vector<SiteReport>& Decision::sites() const { return measurements_.variants().sites(); }

void Decision::choose_program(const std::vector<Candidate>& list) {
  Variants& variants = measurements_.variants();
  Journal& journal = measurements_.journal();
  int tried = 0;
  for (const Candidate& candidate : most_saving(list, journal, (1 - kFasterRun) * variants.run_ms())) {
    if (tried++ == kMostPrograms || measurements_.is_time_up()) return;
    if (!measurements_.is_confirmed(candidate)) continue;
    variants.extend_base(everywhere(candidate, sites()));
    journal.set_program(candidate.name), program_ = candidate.name;
    return;
  }
}

void Decision::choose_sites(const std::vector<Candidate>& list) {
  Variants& variants = measurements_.variants();
  winners_ = winners_among(list, measurements_.journal(), variants.run_ms());
  drop_spilling_winners();
  if (choices().empty()) return;
  measurements_.progress("measuring all choices together", 0, 2);
  Outcome together = measurements_.measure(choices_of(winners_, sites()), kMoreTurns);
  if (together.failure.empty() && confirm(winners_, together.regions))
    together = measurements_.measure(choices_of(winners_, sites()), 1);
  measurements_.note_failure("all choices together", together.failure, together.interrupted);
  if (!together.failure.empty() || choices().empty()) return;
  measurements_.progress("measuring whole runs", 1, 2);
  const Variants::WholeRuns whole = variants.time_whole(kWholeTurns);
  measurements_.note_failure("whole runs", whole.failure, whole.interrupted);
  report_.usual_ms = whole.usual_ms, report_.ms = whole.ms;
  report_.kept = is_gain(whole), report_.under_load |= whole.under_load;
  for (const auto& [site, choice] : variants.base())
    report_.sites.push_back({site, program_, {}, whole.usual_ms, whole.ms});
  for (ChangedSite& site : changed_sites(winners_, sites())) report_.sites.push_back(std::move(site));
}

// Times of a few runs are noisy; a loop that spills registers is slower in the long run.
void Decision::drop_spilling_winners() {
  if (winners_.empty()) return;
  measurements_.progress("looking for spilled registers", 0, 1);
  const auto usual = measurements_.variants().loop_spills({});
  const auto chosen = measurements_.variants().loop_spills(choices_of(winners_, sites()));
  for (std::string& reason : drop_spilling(winners_, usual, chosen)) report_.failed.push_back(std::move(reason));
}

void Decision::choose_runs(const std::vector<Candidate>& list) {
  if (!report_.kept) measurements_.variants().drop_base(), winners_.clear();
  for (const Candidate& candidate : list) {
    if (measurements_.stop_if_time_is_up(1)) continue;
    measurements_.progress("measuring " + candidate.name, 0, 1);
    try_for_runs(candidate);
  }
}

void Decision::try_for_runs(const Candidate& candidate) {
  const std::string without = run_constants_;
  Choices before = choices();
  run_constants_ = without.empty() ? candidate.choice.tuning : without + "," + candidate.choice.tuning;
  const Variants::WholeRuns whole = measurements_.variants().compare_whole(std::move(before), choices(), kWholeTurns);
  measurements_.note_failure(candidate.name, whole.failure, whole.interrupted);
  report_.measured += !whole.interrupted;
  const bool gained = is_gain(whole);
  report_.under_load |= whole.under_load;
  measurements_.journal().add(candidate.name, {gained ? "" : "is not faster", {}, whole.interrupted});
  if (gained)
    keep_run(candidate, whole);
  else
    run_constants_ = without;
}

void Decision::keep_run(const Candidate& candidate, const Variants::WholeRuns& whole) {
  if (report_.kept)
    report_.ms *= whole.ratio;
  else
    report_.usual_ms = whole.usual_ms, report_.ms = whole.ms, report_.sites.clear();
  report_.kept = true;
  for (const SiteReport& site : sites()) {
    if (site.scope != schedule::TuningScope::whole) continue;
    const auto known = std::find_if(report_.sites.begin(), report_.sites.end(),
                                    [&](const ChangedSite& it) { return it.site == site.site; });
    if (known == report_.sites.end())
      report_.sites.push_back({site.site, candidate.name, {}, whole.usual_ms, whole.ms});
    else
      known->candidate += "," + candidate.name, known->ms *= whole.ratio;
  }
}

Choices Decision::choices() const {
  Choices all = choices_of(winners_, sites());
  const Choices& base = measurements_.variants().base();
  all.insert(base.begin(), base.end());
  if (run_constants_.empty()) return all;
  for (const SiteReport& site : sites())
    if (site.scope == schedule::TuningScope::whole) {
      std::string& tuning = all[site.site].tuning;
      tuning += (tuning.empty() ? "" : ",") + run_constants_;
    }
  return all;
}

}  // namespace cppgen::tune
