#pragma once
#include <map>
#include <span>
#include <string>

#include "cppgen/ir/program.h"

namespace cppgen::schedule {

// What is chosen for one site, a contraction or a kernel of loops, in place of what the cost model would choose. It
// changes how fast the site runs, and possibly the last bits of its results, never their meaning.
struct Choice {
  std::string backend;             // of a contraction, as MAX_AUTOTUNE_GEMM_BACKENDS names it; empty: the usual order
  bool separate_epilogue = false;  // what follows a contraction is a kernel of its own
  std::string tuning;              // constants of the site's plan, in the format of TUNING; empty: the target's
  bool operator==(const Choice&) const = default;
};

std::string to_string(const Choice&);  // "XSMM, separate epilogue, contraction_units=8"

// By site. A site that is not in the map is planned as usual.
using Choices = std::map<std::string, Choice, std::less<>>;

// The choice for a site, or an empty one. `choices` may be null.
const Choice& choice_for(const Choices*, const std::string& site);

// The identity of nests that become one kernel: the name of the first, and a hash of what they compute. It is equal for
// the same computation on tensors of the same types and sizes, also in another model.
std::string site_of(const ir::Program&, std::span<const ir::LoopNest* const> nests);

}  // namespace cppgen::schedule
