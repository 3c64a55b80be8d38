#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/vec_isa.h"
#include "tests/differential/case_text.h"

namespace cppgen::differential {

// States how the samples of one operator and type run on an instruction set.
struct HowItRuns {
  enum Kind : uint8_t { folded, simd, by_lane, library, one_by_one } kind = folded;
  std::set<std::string> what;  // is done lane by lane, or the library's functions
};
// folded: no code is left; simd: all of it is; by_lane: SIMD but for `what`; one_by_one: the ISA has no vectors.
const char* name_of(HowItRuns::Kind);

HowItRuns how_it_runs(const Sample&, const VecISA&);

// "Add" or "com.microsoft.Attention"
std::string full_name(const Row&);

// The keys are the operator, then the type; the first sample that is larger than a vector and leaves code counts.
using OperatorTable = std::map<std::string, std::map<DType, HowItRuns>>;
OperatorTable operator_table(const std::vector<Sample>&, const VecISA&);

}  // namespace cppgen::differential
