#include "cppgen/ir/index/simplify_index.h"

#include <algorithm>

#include "cppgen/ir/index/index_memo.h"
#include "cppgen/ir/index/index_range.h"
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

// The operations that the rules of sums apply to: a division, or a min and a max.
bool may_be_shorter(const Polynomial& sum) {
  bool min = false, max = false;
  for (const IndexTerm& t : sum.terms())
    for (const IndexNode* atom : atoms_of(t.node)) {
      if (atom->op == IndexOp::floordiv || atom->op == IndexOp::mod) return true;
      min |= atom->op == IndexOp::min, max |= atom->op == IndexOp::max;
    }
  return min && max;
}

IndexArena* arena_of(IndexExpr a, IndexExpr b) { return a.is_constant() ? b.node()->arena : a.node()->arena; }

// Constants last, the others by id: one order for one set of operands.
bool before(IndexExpr a, IndexExpr b) {
  if (a.is_constant() || b.is_constant()) return !a.is_constant();
  return a.node()->id < b.node()->id;
}

// An operand of a min or max, and the operand of the caller that it was part of; operands of one part have been tried
// with each other before.
struct Operand {
  IndexExpr value;
  size_t part;
};

// Replaces the first pair of operands that a rule joins; false if there is none.
bool join_one_pair(IndexOp op, std::vector<Operand>& operands, size_t& parts) {
  for (size_t i = 0; i < operands.size(); i++)
    for (size_t j = i + 1; j < operands.size(); j++) {
      if (operands[i].part == operands[j].part) continue;
      if (auto joined = apply_rules(op, operands[i].value, operands[j].value)) {
        operands[i] = {*joined, parts++};
        operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
  return false;
}

std::vector<Operand> operands_of(IndexOp op, std::span<const IndexExpr> given) {
  std::vector<Operand> all;
  for (size_t part = 0; part < given.size(); part++) {
    if (given[part].is_constant() || given[part].node()->op != op)
      all.push_back({given[part], part});
    else
      for (IndexExpr arg : given[part].node()->args) all.push_back({arg, part});
  }
  return all;
}

IndexExpr divided(IndexOp op, IndexExpr dividend, IndexExpr divisor) {
  if (auto simpler = apply_rules(op, dividend, divisor)) return *simpler;
  IndexNode node{};
  node.op = op;
  node.args = {dividend, divisor};
  return IndexExpr(arena_of(dividend, divisor)->intern(std::move(node)));
}

}  // namespace

IndexExpr simplify_sum(const Polynomial& sum) {
  const IndexExpr plain = sum.to_expr();
  if (sum.terms().size() < 2 || !may_be_shorter(sum)) return plain;
  return remembered(memo_of(*plain.node()->arena), IndexMemo::Question::sum, plain, 0,
                    [&] { return apply_rules(IndexOp::sum, plain, 0).value_or(plain); });
}

IndexExpr simplify_division(IndexOp op, IndexExpr dividend, IndexExpr divisor) {
  if (divisor.range().hi < 0) internal_error("division by {}, which is negative", to_string(divisor));
  if (divisor.is_constant(0) || dividend.is_constant(0)) return 0;
  if (dividend.is_constant() && divisor.is_constant())
    return op == IndexOp::mod ? floor_mod(dividend.constant(), divisor.constant())
                              : floor_div(dividend.constant(), divisor.constant());
  const auto question = op == IndexOp::mod ? IndexMemo::Question::mod : IndexMemo::Question::floordiv;
  return remembered(memo_of(*arena_of(dividend, divisor)), question, dividend, divisor,
                    [&] { return divided(op, dividend, divisor); });
}

IndexExpr simplify_extremum(IndexOp op, std::span<const IndexExpr> operands) {
  std::vector<Operand> left = operands_of(op, operands);
  const auto in_order = [](const Operand& a, const Operand& b) { return before(a.value, b.value); };
  std::sort(left.begin(), left.end(), in_order);
  size_t parts = operands.size();
  while (join_one_pair(op, left, parts)) std::sort(left.begin(), left.end(), in_order);
  std::vector<IndexExpr> all;
  for (const Operand& o : left) all.push_back(o.value);
  if (all.size() == 1) return all[0];
  IndexNode node{};
  node.op = op;
  node.args = all;
  return IndexExpr(all[0].node()->arena->intern(std::move(node)));
}

}  // namespace cppgen::ir
