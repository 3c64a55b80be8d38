#pragma once
#include <map>
#include <string>

namespace cppgen::schedule {

// The choice for one site (a contraction, a kernel of loops, or a whole program) in place of what the cost model
// would choose. It changes how fast the site runs, and possibly the last bits of its results, never their meaning.
struct Choice {
  std::string backend;             // of a contraction, as MAX_AUTOTUNE_GEMM_BACKENDS names it; empty: the usual order
  bool separate_epilogue = false;  // what follows a contraction is a kernel of its own
  std::string tuning;              // constants of the site, in the format of TUNING; empty: the target's
  bool operator==(const Choice&) const = default;
};

// Returns whether it may change the last bits of results.
bool changes_bits(const Choice&);

std::string to_string(const Choice&);  // "XSMM, separate epilogue, contraction_units=8"

// The key is the site. A site that is not in the map is planned as usual.
using Choices = std::map<std::string, Choice, std::less<>>;

// The choice for a site, or an empty one. `choices` may be null.
const Choice& choice_for(const Choices*, const std::string& site);

}  // namespace cppgen::schedule
