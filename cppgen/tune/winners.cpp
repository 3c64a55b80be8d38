#include "cppgen/tune/winners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/base/printable.h"

namespace cppgen::tune {
namespace {

constexpr double kWorthwhile = 0.97;   // of the usual time of a region: less is noise
constexpr double kLeastShare = 0.001;  // of a whole run that a region must gain

bool shares_site(const Region& a, const Region& b) {
  return std::any_of(a.sites.begin(), a.sites.end(), [&](const std::string& site) { return b.sites.count(site) > 0; });
}

bool decides_about(const Winner& winner, const SiteReport& site) {
  return concerns(winner.candidate, site) && winner.region.sites.count(site.site) > 0;
}

}  // namespace

bool is_faster(const Region& r) { return r.ms < kWorthwhile * r.usual_ms; }

schedule::Choices everywhere(const Candidate& candidate, const std::vector<SiteReport>& sites) {
  schedule::Choices choices;
  for (const SiteReport& site : sites)
    if (concerns(candidate, site)) choices[site.site] = candidate.choice;
  return choices;
}

schedule::Choices choices_of(const std::vector<Winner>& winners, const std::vector<SiteReport>& sites) {
  schedule::Choices choices;
  for (const Winner& winner : winners)
    for (const SiteReport& site : sites)
      if (decides_about(winner, site)) choices[site.site] = winner.candidate.choice;
  return choices;
}

std::vector<Winner> winners_among(const std::vector<Candidate>& candidates, const Journal& journal, double usual_ms) {
  std::vector<Winner> all, winners;
  for (const Candidate& candidate : candidates) {
    const Outcome* outcome = journal.find(candidate.name);
    if (!outcome) continue;
    for (const Region& r : outcome->regions)
      if (is_faster(r) && saved_ms(r) > kLeastShare * usual_ms) all.push_back({candidate, r});
  }
  const auto gain = [](const Winner& w) { return saved_ms(w.region); };
  std::stable_sort(all.begin(), all.end(), [&](const Winner& a, const Winner& b) { return gain(a) > gain(b); });
  for (Winner& w : all)
    if (std::none_of(winners.begin(), winners.end(), [&](const Winner& o) { return shares_site(o.region, w.region); }))
      winners.push_back(std::move(w));
  return winners;
}

std::vector<Candidate> most_saving(const std::vector<Candidate>& candidates, const Journal& journal, double least_ms) {
  std::vector<std::pair<double, const Candidate*>> ranked;
  for (const Candidate& candidate : candidates) {
    const Outcome* outcome = journal.find(candidate.name);
    if (!outcome) continue;
    double saved = 0;
    for (const Region& r : outcome->regions) saved += saved_ms(r);
    if (saved > least_ms) ranked.emplace_back(saved, &candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Candidate> best;
  for (const auto& [saved, candidate] : ranked) best.push_back(*candidate);
  return best;
}

bool confirm(std::vector<Winner>& winners, const std::vector<Region>& measured) {
  const size_t before = winners.size();
  std::erase_if(winners, [&](Winner& w) {
    for (const Region& r : measured) {
      if (!shares_site(r, w.region)) continue;
      w.region.usual_ms = r.usual_ms, w.region.ms = r.ms;
      return !is_faster(r);
    }
    return true;
  });
  return winners.size() != before;
}

std::vector<std::string> drop_spilling(std::vector<Winner>& winners, const std::map<std::string, int64_t>& usual,
                                       const std::map<std::string, int64_t>& chosen) {
  const auto spills_at = [](const std::map<std::string, int64_t>& spills, const std::string& site) {
    const auto found = spills.find(site);
    return found == spills.end() ? 0 : found->second;
  };
  std::vector<std::string> reasons;
  std::erase_if(winners, [&](const Winner& w) {
    if (!w.candidate.choice.backend.empty()) return false;  // its loops do other work
    for (const std::string& site : w.region.sites) {
      const int64_t before = spills_at(usual, site), now = spills_at(chosen, site);
      if (now <= before) continue;
      reasons.push_back(fmt::format("{}: its inner loops spill {} at {}, and {} with the usual plan", w.candidate.name,
                                    counted(now, "vector register"), site, before));
      return true;
    }
    return false;
  });
  return reasons;
}

std::vector<ChangedSite> changed_sites(const std::vector<Winner>& winners, const std::vector<SiteReport>& sites) {
  std::vector<ChangedSite> changed;
  for (const Winner& winner : winners)
    for (const SiteReport& site : sites) {
      if (!decides_about(winner, site)) continue;
      const auto same =
          std::find_if(changed.begin(), changed.end(), [&](const ChangedSite& c) { return c.site == site.site; });
      if (same == changed.end())
        changed.push_back({site.site, winner.candidate.name, site.origins, winner.region.usual_ms, winner.region.ms});
      else
        same->nodes.insert(same->nodes.end(), site.origins.begin(), site.origins.end());
    }
  return changed;
}

std::vector<std::string> choice_lines(const std::vector<Candidate>& candidates, const Journal& journal, int64_t most) {
  struct Choice {
    std::string name;
    Region region;
    double ratio() const { return region.ms / std::max(region.usual_ms, 1e-9); }
  };
  std::vector<std::string> lines;
  std::map<std::set<std::string>, std::vector<Choice>> choices;
  for (const Candidate& candidate : candidates) {
    const Outcome* outcome = journal.find(candidate.name);
    if (!outcome) continue;
    const std::string name = fmt::format("{} ({})", candidate.name, schedule::name_of(candidate.scope));
    if (!outcome->failure.empty()) lines.push_back(name + ": " + outcome->failure);
    if (outcome->failure.empty() && outcome->regions.empty()) lines.push_back(name + ": the same kernels");
    for (const Region& r : outcome->regions) choices[r.sites].push_back({name, r});
  }
  for (auto& [sites, list] : choices) {
    std::stable_sort(list.begin(), list.end(), [](const Choice& a, const Choice& b) { return a.ratio() < b.ratio(); });
    for (size_t i = 0; i < std::min(list.size(), size_t(most)); i++)
      lines.push_back(fmt::format("{}: {:.4g} ms instead of {:.4g} ms for {}", list[i].name, list[i].region.ms,
                                  list[i].region.usual_ms, fmt::join(sites, ", ")));
  }
  return lines;
}

}  // namespace cppgen::tune
