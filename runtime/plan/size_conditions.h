#pragma once
#include <span>
#include <vector>

#include "runtime/plan/sample_sizes.h"

namespace cppgen::rt {

// least <= most, over symbols that several plans share.
struct SizeCondition {
  DimExpr least, most;
  std::vector<size_t> symbols;  // that it depends on
};

// The conditions that the sizes of several plans must satisfy, each condition once, and the names of their symbols.
struct SizeConditions {
  std::vector<std::string> names;
  std::vector<SizeCondition> all;
};
SizeConditions size_conditions(std::span<const Plan* const>);

// 0 if the condition holds, else how far the sizes are from it; very far if it cannot be evaluated.
double violation(const SizeCondition&, std::span<const int64_t> sizes);

}  // namespace cppgen::rt
