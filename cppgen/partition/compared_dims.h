#pragma once
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ops/op.h"

namespace cppgen::partition {

// What follows once pairs of dimensions were found equal: symbols that only a run knows, and what each stands for.
// Later ones are to be replaced in what earlier ones gave.
std::vector<ir::IndexMap> known_by_comparison(const ops::ComparedDims&);

}  // namespace cppgen::partition
