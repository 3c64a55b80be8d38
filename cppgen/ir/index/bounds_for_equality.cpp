#include "cppgen/ir/index/bounds_for_equality.h"

#include <algorithm>

namespace cppgen::ir {
namespace {

constexpr size_t kMostBounds = 8;

// A node of e for which `wanted` holds, the outermost first; null if there is none.
template <class F>
const IndexNode* find_node(IndexExpr e, const F& wanted) {
  if (e.is_constant()) return nullptr;
  if (wanted(*e.node())) return e.node();
  for (const IndexTerm& t : e.node()->terms)
    if (const IndexNode* found = find_node(IndexExpr(t.node), wanted)) return found;
  for (IndexExpr arg : e.node()->args)
    if (const IndexNode* found = find_node(arg, wanted)) return found;
  return nullptr;
}

bool is_extremum(const IndexNode& n) { return n.op == IndexOp::min || n.op == IndexOp::max; }
bool is_division(const IndexNode& n) { return n.op == IndexOp::floordiv || n.op == IndexOp::mod; }

bool is_possible(const IndexBound& bound) { return (bound.most - bound.least).range().hi >= 0; }

// Returns the bounds under which the extremum is its operand `chosen`.
std::vector<IndexBound> bounds_of_choice(const IndexNode& extremum, IndexExpr chosen) {
  std::vector<IndexBound> bounds;
  for (IndexExpr other : extremum.args) {
    if (other == chosen) continue;
    bounds.push_back(extremum.op == IndexOp::min ? IndexBound{chosen, other} : IndexBound{other, chosen});
  }
  return bounds;
}

// Chooses an operand of every min and max so that nothing is left of the difference.
bool choose_operands(IndexExpr difference, std::vector<IndexBound>& bounds) {
  if (prove_equal(difference, 0)) return true;
  const IndexNode* extremum = find_node(difference, is_extremum);
  if (!extremum || bounds.size() >= kMostBounds) return false;
  for (IndexExpr chosen : extremum->args) {
    const auto more = bounds_of_choice(*extremum, chosen);
    if (!std::all_of(more.begin(), more.end(), is_possible)) continue;
    const size_t before = bounds.size();
    bounds.insert(bounds.end(), more.begin(), more.end());
    if (choose_operands(substitute(difference, {{extremum, chosen}}), bounds)) return true;
    bounds.resize(before);
  }
  return false;
}

}  // namespace

std::vector<IndexBound> bounds_for_equality(IndexExpr a, IndexExpr b) {
  std::vector<IndexBound> bounds;
  if (choose_operands(a - b, bounds)) return bounds;
  const std::vector<IndexBound> both{{a, b}, {b, a}};
  if (find_node(a - b, is_division) && is_possible(both[0]) && is_possible(both[1])) return both;
  return {};
}

std::string to_string(const IndexBound& bound, const std::vector<IndexBound>& all) {
  const bool both = std::find(all.begin(), all.end(), IndexBound{bound.most, bound.least}) != all.end();
  if (!both) return to_string(bound);
  std::string left = to_string(bound.least), right = to_string(bound.most);  // in one order, whichever bound it is
  if (bound.least.is_constant() || (!bound.most.is_constant() && right < left)) std::swap(left, right);
  return left + " = " + right;
}

}  // namespace cppgen::ir
