#include "cppgen/package/bounds.h"

#include <algorithm>

#include "cppgen/ir/bounds_for_equality.h"
#include "cppgen/package/dim_code.h"

namespace cppgen::package {
namespace {

bool are_known(ir::IndexExpr e, const std::map<std::string, int64_t>& numbers) {
  const auto variables = ir::variables_of(e);
  return std::all_of(variables.begin(), variables.end(), [&](const auto* v) { return numbers.contains(v->name); });
}

}  // namespace

std::vector<rt::Bound> bounds_of(const ir::IndexArena& arena, const std::vector<rt::Symbol>& symbols) {
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < symbols.size(); i++) numbers[symbols[i].name] = int64_t(i);
  const DimCoder coder(numbers);
  std::vector<rt::Bound> bounds;
  for (const ir::IndexBound& bound : arena.assumptions())
    if (are_known(bound.least, numbers) && are_known(bound.most, numbers))
      bounds.push_back({coder.code(bound.least), coder.code(bound.most), ir::to_string(bound, arena.assumptions())});
  return bounds;
}

}  // namespace cppgen::package
