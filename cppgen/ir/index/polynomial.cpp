#include "cppgen/ir/index/polynomial.h"

#include <algorithm>

#include "runtime/base/checked.h"

namespace cppgen::ir {
namespace {

constexpr const char* kWhat = "index expression";
constexpr size_t kMostTerms = 4096;

// The constant term, which has no node, is the first.
bool has_lower_id(const IndexNode* a, const IndexNode* b) { return a && b ? a->id < b->id : !a && b; }

}  // namespace

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
int64_t floor_mod(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }

Polynomial::Polynomial(IndexExpr e) {
  if (e.is_constant()) {
    add(e.constant(), nullptr);
  } else if (e.node()->op == IndexOp::sum) {
    if (e.node()->constant != 0) terms_.push_back({e.node()->constant, nullptr});
    terms_.insert(terms_.end(), e.node()->terms.begin(), e.node()->terms.end());
  } else {
    terms_.push_back({1, e.node()});
  }
}

int64_t Polynomial::constant() const { return terms_.empty() || terms_.front().node ? 0 : terms_.front().coefficient; }

IndexExpr Polynomial::to_expr() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1) {
    if (!terms_[0].node) return terms_[0].coefficient;
    if (terms_[0].coefficient == 1) return IndexExpr(terms_[0].node);
  }
  IndexNode sum{};
  sum.op = IndexOp::sum;
  sum.constant = constant();
  sum.terms.assign(terms_.begin() + (terms_.front().node ? 0 : 1), terms_.end());
  auto* arena = sum.terms.front().node->arena;
  return IndexExpr(arena->intern(std::move(sum)));
}

void Polynomial::add(int64_t coefficient, const IndexNode* monomial) {
  if (coefficient == 0) return;
  auto at = std::lower_bound(terms_.begin(), terms_.end(), monomial,
                             [](const IndexTerm& t, const IndexNode* m) { return has_lower_id(t.node, m); });
  if (at == terms_.end() || at->node != monomial) {
    terms_.insert(at, {coefficient, monomial});
    return;
  }
  at->coefficient = checked_add(at->coefficient, coefficient, kWhat);
  if (at->coefficient == 0) terms_.erase(at);
}

void Polynomial::add(const Polynomial& other, int64_t factor) {
  for (const IndexTerm& t : other.terms_) add(checked_mul(t.coefficient, factor, kWhat), t.node);
}

bool Polynomial::contains(const Polynomial& other) const {
  return std::all_of(other.terms_.begin(), other.terms_.end(), [&](const IndexTerm& t) {
    if (!t.node) return true;
    auto at = std::lower_bound(terms_.begin(), terms_.end(), t.node,
                               [](const IndexTerm& u, const IndexNode* m) { return has_lower_id(u.node, m); });
    if (at == terms_.end() || at->node != t.node) return false;
    return t.coefficient > 0 ? at->coefficient >= t.coefficient : at->coefficient <= t.coefficient;
  });
}

Polynomial multiply(const Polynomial& a, const Polynomial& b) {
  if (a.terms().size() * b.terms().size() > kMostTerms)
    throw ExpressionTooLarge(fmt::format("a size is an expression with more than {} terms", kMostTerms));
  Polynomial result;
  for (const IndexTerm& t : a.terms())
    for (const IndexTerm& u : b.terms())
      result.add(checked_mul(t.coefficient, u.coefficient, kWhat), multiply_monomials(t.node, u.node));
  return result;
}

std::vector<const IndexNode*> atoms_of(const IndexNode* monomial) {
  if (!monomial) return {};
  if (monomial->op != IndexOp::product) return {monomial};
  std::vector<const IndexNode*> atoms;
  for (IndexExpr factor : monomial->args) atoms.push_back(factor.node());
  return atoms;
}

namespace {

const IndexNode* monomial_of(const std::vector<const IndexNode*>& atoms) {
  if (atoms.empty()) return nullptr;
  if (atoms.size() == 1) return atoms[0];
  IndexNode node{};
  node.op = IndexOp::product;
  for (const IndexNode* atom : atoms) node.args.push_back(IndexExpr(atom));
  return atoms[0]->arena->intern(std::move(node));
}

}  // namespace

const IndexNode* multiply_monomials(const IndexNode* a, const IndexNode* b) {
  if (!a) return b;
  if (!b) return a;
  const auto x = atoms_of(a), y = atoms_of(b);
  std::vector<const IndexNode*> all;
  std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(all), has_lower_id);
  return monomial_of(all);
}

std::optional<const IndexNode*> divide_monomials(const IndexNode* a, const IndexNode* b) {
  if (!b) return a;
  const auto x = atoms_of(a), y = atoms_of(b);
  if (!std::includes(x.begin(), x.end(), y.begin(), y.end(), has_lower_id)) return std::nullopt;
  std::vector<const IndexNode*> left;
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(left), has_lower_id);
  return monomial_of(left);
}

const IndexNode* common_monomial(const IndexNode* a, const IndexNode* b) {
  const auto x = atoms_of(a), y = atoms_of(b);
  std::vector<const IndexNode*> both;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both), has_lower_id);
  return monomial_of(both);
}

AtomSplit split_by_atom(const Polynomial& value, const IndexNode* atom) {
  AtomSplit split;
  for (const IndexTerm& t : value.terms()) {
    const auto atoms = atoms_of(t.node);
    const auto power = std::count(atoms.begin(), atoms.end(), atom);
    if (power == 0)
      split.rest.add(t.coefficient, t.node);
    else
      split.coefficient.add(t.coefficient, *divide_monomials(t.node, atom));
  }
  return split;
}

namespace {

Division divide_by_term(const Polynomial& value, IndexTerm divisor) {
  Division result;
  for (const IndexTerm& t : value.terms()) {
    auto quotient = divide_monomials(t.node, divisor.node);
    int64_t times = 0;
    if (quotient) times = t.node ? t.coefficient / divisor.coefficient : floor_div(t.coefficient, divisor.coefficient);
    if (times != 0) result.quotient.add(times, *quotient);
    result.remainder.add(t.coefficient - times * divisor.coefficient, t.node);
  }
  return result;
}

// Multiples of a sum must occur whole. They are recognized by the divisor's term of highest degree.
Division divide_by_sum(const Polynomial& value, const Polynomial& divisor) {
  const auto degree = [](const IndexTerm& t) { return t.node ? atoms_of(t.node).size() : 0; };
  const IndexTerm lead = *std::max_element(divisor.terms().begin(), divisor.terms().end(),
                                           [&](auto& a, auto& b) { return degree(a) < degree(b); });
  Division result{{}, value};
  for (const IndexTerm& t : value.terms()) {
    const auto monomial = divide_monomials(t.node, lead.node);
    const int64_t times = t.coefficient / lead.coefficient;
    if (!monomial || times == 0) continue;
    Polynomial quotient;
    quotient.add(times, *monomial);
    const Polynomial multiple = multiply(quotient, divisor);
    if (!result.remainder.contains(multiple)) continue;
    result.quotient.add(quotient);
    result.remainder.add(multiple, -1);
  }
  return result;
}

}  // namespace

Division divide(const Polynomial& value, const Polynomial& divisor) {
  if (divisor.terms().size() == 1 && divisor.terms()[0].coefficient > 0)
    return divide_by_term(value, divisor.terms()[0]);
  if (divisor.terms().size() < 2) return {{}, value};
  return divide_by_sum(value, divisor);
}

std::optional<IndexExpr> divide_exactly(IndexExpr value, IndexExpr divisor) {
  const Division d = divide(Polynomial(value), Polynomial(divisor));
  if (!d.remainder.is_zero()) return std::nullopt;
  return d.quotient.to_expr();
}

}  // namespace cppgen::ir
