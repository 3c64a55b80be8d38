#include "cppgen/ir/simplify_index.h"

#include <algorithm>

#include "cppgen/ir/index_range.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

std::optional<IndexExpr> apply_rules(IndexOp op, IndexExpr a, IndexExpr b) {
  for (const IndexRule& rule : index_rules()) {
    if (rule.op != op) continue;
    if (auto result = rule.apply(a, b)) return result;
  }
  return std::nullopt;
}

bool has_division(const Polynomial& sum) {
  for (const IndexTerm& t : sum.terms())
    for (const IndexNode* atom : atoms_of(t.node))
      if (atom->op == IndexOp::floordiv || atom->op == IndexOp::mod) return true;
  return false;
}

IndexArena* arena_of(IndexExpr a, IndexExpr b) { return a.is_constant() ? b.node()->arena : a.node()->arena; }

// Constants last, the others by id: one order for one set of operands.
bool before(IndexExpr a, IndexExpr b) {
  if (a.is_constant() || b.is_constant()) return !a.is_constant();
  return a.node()->id < b.node()->id;
}

// Replaces the first pair of operands that a rule joins; false if there is none.
bool join_one_pair(IndexOp op, std::vector<IndexExpr>& operands) {
  for (size_t i = 0; i < operands.size(); i++)
    for (size_t j = i + 1; j < operands.size(); j++)
      if (auto joined = apply_rules(op, operands[i], operands[j])) {
        operands[i] = *joined;
        operands.erase(operands.begin() + j);
        return true;
      }
  return false;
}

}  // namespace

IndexExpr simplify_sum(const Polynomial& sum) {
  const IndexExpr plain = sum.to_expr();
  if (sum.terms().size() < 2 || !has_division(sum)) return plain;
  return apply_rules(IndexOp::sum, plain, 0).value_or(plain);
}

IndexExpr simplify_division(IndexOp op, IndexExpr dividend, IndexExpr divisor) {
  if (divisor.range().hi < 0) internal_error("division by {}, which is negative", to_string(divisor));
  if (divisor.is_constant(0) || dividend.is_constant(0)) return 0;
  if (dividend.is_constant() && divisor.is_constant())
    return op == IndexOp::mod ? floor_mod(dividend.constant(), divisor.constant())
                              : floor_div(dividend.constant(), divisor.constant());
  if (auto simpler = apply_rules(op, dividend, divisor)) return *simpler;
  IndexNode node{};
  node.op = op;
  node.args = {dividend, divisor};
  return IndexExpr(arena_of(dividend, divisor)->intern(std::move(node)));
}

IndexExpr simplify_extremum(IndexOp op, std::span<const IndexExpr> operands) {
  std::vector<IndexExpr> all;
  for (IndexExpr e : operands) {
    if (!e.is_constant() && e.node()->op == op)
      all.insert(all.end(), e.node()->args.begin(), e.node()->args.end());
    else
      all.push_back(e);
  }
  std::sort(all.begin(), all.end(), before);
  while (join_one_pair(op, all)) std::sort(all.begin(), all.end(), before);
  if (all.size() == 1) return all[0];
  IndexNode node{};
  node.op = op;
  node.args = all;
  return IndexExpr(all[0].node()->arena->intern(std::move(node)));
}

}  // namespace cppgen::ir
