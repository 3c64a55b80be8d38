#pragma once
#include <set>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen::tune {

// The time of a step of a package, and the nodes of the model that it computes.
struct StepTime {
  std::vector<std::string> nodes;
  double ms = 0;  // of one run, in the mean
};

// Sites that have to be compared as one, because steps of either package compute nodes of several of them, or because
// one site occurs several times. Both packages compute the same there.
struct Region {
  std::set<std::string> sites;
  double usual_ms = 0, ms = 0;  // with the usual plans, and with the candidate
};
inline double saved_ms(const Region& r) { return r.usual_ms - r.ms; }

// One compilation of a model: its sites, and the times of its steps.
struct TimedSites {
  const std::vector<SiteReport>& sites;
  const std::vector<StepTime>& steps;
};

// The regions whose code differs. The sites are those with the usual plans. Steps whose nodes belong to no site are
// left out.
std::vector<Region> changed_regions(const TimedSites& usual, const TimedSites& candidate);

}  // namespace cppgen::tune
