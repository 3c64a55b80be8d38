#pragma once
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ops/op.h"

namespace cppgen::partition {

// The consequences of comparing pairs of dimensions: symbols that are known only at run time, and the expression that
// each equals. Later symbols must be replaced in the expressions of earlier ones.
std::vector<ir::IndexMap> known_by_comparison(const ops::ComparedDims&);

}  // namespace cppgen::partition
