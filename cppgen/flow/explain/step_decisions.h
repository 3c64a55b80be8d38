#pragma once
#include <vector>

#include "cppgen/flow/explain/explain.h"

namespace cppgen {

// Returns, for each step, the decisions about its nodes, as positions in the log.
std::vector<std::vector<size_t>> decisions_of_steps(const Explanation&);

}  // namespace cppgen
