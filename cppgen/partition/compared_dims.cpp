#include "cppgen/partition/compared_dims.h"

#include <optional>

#include "cppgen/ir/index/polynomial.h"

namespace cppgen::partition {
namespace {

// The symbol's value for which the difference is 0, if it is an expression without the symbol.
std::optional<ir::IndexExpr> solved(ir::IndexExpr difference, const ir::IndexNode* symbol) {
  const auto coefficient = ir::stride_of(difference, symbol);
  if (!coefficient || coefficient->is_constant(0)) return std::nullopt;
  const auto value = ir::divide_exactly(*coefficient * ir::IndexExpr(symbol) - difference, *coefficient);
  if (!value || ir::depends_on(*value, symbol)) return std::nullopt;
  return value;
}

// A number before other expressions.
std::optional<ir::IndexMap> relation_between(ir::IndexExpr a, ir::IndexExpr b) {
  std::optional<ir::IndexMap> found;
  for (const ir::IndexNode* symbol : ir::variables_of(a - b)) {
    if (!ir::is_fresh_symbol(ir::IndexExpr(symbol))) continue;
    const auto value = solved(a - b, symbol);
    if (value && (!found || value->is_constant())) found = ir::IndexMap{{symbol, *value}};
  }
  return found;
}

}  // namespace

std::vector<ir::IndexMap> known_by_comparison(const ops::ComparedDims& compared) {
  std::vector<ir::IndexMap> known;
  for (auto [a, b] : compared) {
    for (const ir::IndexMap& map : known) a = ir::substitute(a, map), b = ir::substitute(b, map);
    if (auto relation = relation_between(a, b)) known.push_back(std::move(*relation));
  }
  return known;
}

}  // namespace cppgen::partition
