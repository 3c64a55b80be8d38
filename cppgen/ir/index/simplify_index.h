#pragma once
#include <optional>
#include <span>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/index/polynomial.h"

namespace cppgen::ir {

// One rewrite rule. `apply` receives the operands in canonical form (dividend and divisor; two of the operands of min
// or max; the sum itself and 0) and returns the canonical result, or nullopt if the rule does not match.
struct IndexRule {
  IndexOp op;
  const char* name;
  const char* statement;
  std::optional<IndexExpr> (*apply)(IndexExpr, IndexExpr);
};

// All rules. The constructors of IndexExpr apply the rules of their operation in this order until none matches.
std::span<const IndexRule> index_rules();

// The canonical forms.
IndexExpr simplify_sum(const Polynomial&);
IndexExpr simplify_division(IndexOp, IndexExpr dividend, IndexExpr divisor);  // floordiv or mod
IndexExpr simplify_extremum(IndexOp, std::span<const IndexExpr> operands);    // min or max

}  // namespace cppgen::ir
