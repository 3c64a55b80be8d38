#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/tune/candidates.h"
#include "cppgen/tune/journal.h"
#include "cppgen/tune/tuner.h"

namespace cppgen::tune {

// A region, and the candidate that is the fastest there.
struct Winner {
  Candidate candidate;
  Region region;
};

// Returns whether the candidate saves more than what may be noise.
bool is_faster(const Region&);
inline constexpr double kFasterRun = 0.99;  // of the usual time of a whole run: less is noise

// The choices of a candidate at every site of its kind.
schedule::Choices everywhere(const Candidate&, const std::vector<SiteReport>& sites);
// The choices of each winner at the sites of its region that are of its kind.
schedule::Choices choices_of(const std::vector<Winner>&, const std::vector<SiteReport>& sites);

// Those of all regions and candidates that gain enough, first those that gain most. Sites of different winners differ.
// `usual_ms` is the time of a whole run.
std::vector<Winner> winners_among(const std::vector<Candidate>&, const Journal&, double usual_ms);

// The candidates whose regions together save more than `least_ms` of a run, those that save most first.
std::vector<Candidate> most_saving(const std::vector<Candidate>&, const Journal&, double least_ms);

// Drops the winners none of whose sites is in a region that is faster by these measurements. Whether there were any.
bool confirm(std::vector<Winner>&, const std::vector<Region>& measured);

// Drops the winners at one of whose sites innermost loops spill more vector registers than with the usual plans, by
// site, and says why for each. Other engines stay: their loops do other work.
std::vector<std::string> drop_spilling(std::vector<Winner>&, const std::map<std::string, int64_t>& usual,
                                       const std::map<std::string, int64_t>& chosen);

std::vector<ChangedSite> changed_sites(const std::vector<Winner>&, const std::vector<SiteReport>& sites);
// The candidates that failed or changed nothing, and for each region the `most` fastest ones, the fastest first.
std::vector<std::string> choice_lines(const std::vector<Candidate>&, const Journal&, int64_t most);

}  // namespace cppgen::tune
