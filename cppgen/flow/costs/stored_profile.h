#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/flow/compile/compiler.h"

namespace cppgen {

// The last measurements of `cppgen profile` of a model with the same options and settings, kept in
// "<CACHE_DIR>/profiles".
struct StoredProfile {
  struct Step {
    std::string name;
    double ms = 0;        // of all calls in one run
    double bound_ms = 0;  // the least time for the sizes that ran; 0 if it is unknown
  };
  int threads = 0;
  double run_ms = 0;  // mean, of the same runs as those of the steps
  std::vector<Step> steps;
  bool under_load = false;  // other programs disturbed it

  double steps_ms() const;
};

// Published by rename. Without a cache nothing is stored; a warning if it cannot be.
void store_profile(const CompileRequest&, const StoredProfile&);

// Removes all that are kept; returns their number.
int64_t clear_profiles(const std::string& cache_dir);

// nullopt if none was stored, or if the file is damaged.
std::optional<StoredProfile> find_profile(const CompileRequest&);

}  // namespace cppgen
