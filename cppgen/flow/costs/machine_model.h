#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/compile/peaks.h"
#include "cppgen/schedule/costs.h"

namespace cppgen {

// One number of a machine for which times are predicted, and where it is from.
struct MachineNumber {
  std::string_view name;  // as in --machine NAME=VALUE
  std::string_view text;  // what it is, with its unit
  double value = 0;
  std::string_view source;  // "measured" or "reported" here, "assumed", "given"
};

// A machine by numbers, from which the peaks of any number of its threads follow. It may be larger than this one.
struct MachineModel {
  std::vector<MachineNumber> numbers;
  schedule::Costs costs;      // of predictions
  double loads_per_flop = 0;  // of vectors that are not aligned, in the time of an operation
  int lanes = 1;

  double number(std::string_view name) const;
};

// The machine of which `one` and `several` are the peaks of one and of more threads, with as many cores as `threads`,
// at least. Where it has more than the machine at hand, its memory and its caches are assumed to be those of usual
// servers; `given` replaces numbers, as NAME=VALUE. UserError for a name that there is not and a value that is not
// positive.
MachineModel machine_model(const MachinePeaks& one, const MachinePeaks& several, bool peaks_are_assumed,
                           const MachineDescription& here, const schedule::Costs&, int threads,
                           const std::vector<std::string>& given);

// The rates that so many threads reach together, each on a core of its own. Rates of caches grow with them, the rate
// of the memory until all of it is used; threads exchange data faster if they share a last-level cache.
MachinePeaks peaks_on(const MachineModel&, int threads);

// The last-level caches of so many threads, which fill one after the other.
int last_level_caches(const MachineModel&, int threads);

}  // namespace cppgen
