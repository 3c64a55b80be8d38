#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/sites.h"
#include "cppgen/schedule/choices.h"
#include "cppgen/schedule/tuning.h"
#include "runtime/base/settings.h"

namespace cppgen::tune {

// One thing to try at all sites of a kind at once; every site then keeps what was fastest for it.
struct Candidate {
  std::string name;             // "ONEDNN", "column_work=8192"
  schedule::TuningScope scope;  // the kind of its sites
  schedule::Choice choice;
  bool for_products = true, for_convolutions = true;  // of the contractions
};

// Returns whether the candidate is for the site.
bool concerns(const Candidate&, const SiteReport&);

// The candidates that the settings ask for: other engines, epilogues of their own, and other values of the constants
// of tuning.def; with DETERMINISTIC, only what does not change bits.
std::vector<Candidate> candidates(const Settings&, const schedule::Tuning& usual);

// Further values of the constants of sites, for those at which the cost model is wrong.
std::vector<Candidate> further_candidates(const Settings&, const schedule::Tuning& usual);

// The neighbours of a candidate that sets one constant: the constant `steps` doublings away in both directions, as far
// as TUNING allows. Without a constant there are none.
std::vector<Candidate> neighbours(const Candidate&, const schedule::Tuning& usual, int steps);

// A candidate that sets the constants of both; nullopt unless they set different constants of the same kind.
std::optional<Candidate> both(const Candidate&, const Candidate&);

}  // namespace cppgen::tune
