#pragma once
#include <optional>
#include <vector>

#include "cppgen/ir/program/program.h"

namespace cppgen::schedule {

// Solves  reads[d] == writes[d] for all d  for the variables of `loops`, as expressions over the variables in `writes`:
// where a consumer that reads element reads[] finds the element that a producer writes at writes[]. nullopt unless the
// solution can be proved. Handles plain variables, mixed radix (b * S + s) and splits (v / k, v % k).
std::optional<ir::IndexMap> invert(const std::vector<ir::Loop>& loops, const std::vector<ir::IndexExpr>& reads,
                                   const std::vector<ir::IndexExpr>& writes);

}  // namespace cppgen::schedule
