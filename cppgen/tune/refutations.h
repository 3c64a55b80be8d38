#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cppgen/flow/compile/tuning_results.h"
#include "cppgen/tune/candidates.h"
#include "cppgen/tune/journal.h"

namespace cppgen::tune {

// The judgements of measurements about the choices of earlier tunings, which compilations use.
struct EarlierChoices {
  std::vector<std::pair<std::string, schedule::Choice>> refuted;  // by site: they are not faster there
  std::vector<std::string> withdrawn;                             // those of these sites that have no choice instead
  int others = 0;  // sites without another choice that go on using the earlier one
};

// `stored`: the choices in use. `chosen`: those that this tuning keeps.
EarlierChoices judge_earlier_choices(const ResultsBySite& stored, const std::vector<SiteReport>& sites,
                                     const schedule::Choices& chosen, const std::vector<Candidate>& measured,
                                     const Journal&);

}  // namespace cppgen::tune
