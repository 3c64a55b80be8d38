#include "cppgen/tune/refutations.h"

#include <set>

#include "cppgen/tune/winners.h"

namespace cppgen::tune {
namespace {

// Returns whether the choice was measured at the site, or what computes it, and is not faster there.
bool is_refuted(const std::string& site, const schedule::Choice& choice, const std::vector<Candidate>& measured,
                const Journal& journal) {
  for (const Candidate& candidate : measured) {
    const Outcome* outcome = candidate.choice == choice ? journal.find(candidate.name) : nullptr;
    if (!outcome || outcome->interrupted) continue;
    for (const Region& r : outcome->regions)
      if (r.sites.count(site)) return !is_faster(r);
    return !outcome->failure.empty();
  }
  return false;
}

}  // namespace

EarlierChoices judge_earlier_choices(const ResultsBySite& stored, const std::vector<SiteReport>& sites,
                                     const schedule::Choices& chosen, const std::vector<Candidate>& measured,
                                     const Journal& journal) {
  EarlierChoices judged;
  std::set<std::string> seen;
  for (const SiteReport& site : sites) {
    const auto found = stored.find(site.site);
    if (found == stored.end() || !seen.insert(site.site).second) continue;
    const schedule::Choice& earlier = found->second.choice;
    const bool refuted = is_refuted(site.site, earlier, measured, journal);
    if (refuted) judged.refuted.emplace_back(site.site, earlier);
    if (chosen.contains(site.site)) continue;
    if (refuted)
      judged.withdrawn.push_back(site.site);
    else
      judged.others++;
  }
  return judged;
}

}  // namespace cppgen::tune
