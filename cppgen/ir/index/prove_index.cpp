#include <algorithm>

#include "cppgen/ir/index/index_memo.h"
#include "cppgen/ir/index/index_range.h"
#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ir/index/simplify_index.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

// Shows that a polynomial is nowhere negative by replacing its atoms, the latest first, with bounds: a term c * atom
// with c >= 0 by c * (lower bound), with c <= 0 by c * (upper bound). Composite atoms are later than the variables in
// them, so when a variable is replaced it occurs in none; of a power, one factor is replaced at a time. Each step only
// uses bounds that hold at every point. `steps_` bounds the search.
class Prover {
 public:
  // `divides`: bounds of quotients are sought by dividing bounds of the dividend, which takes long.
  explicit Prover(bool divides) : divides_(divides) {}

  bool nonnegative(const Polynomial& e) {
    const IndexRange range = range_of(e);
    if (range.lo >= 0) return true;
    if (range.hi < 0 || --steps_ < 0 || !ProofScope::take_step()) return false;
    const IndexNode* atom = latest_atom(e);
    if (!atom) return false;
    const AtomSplit split = split_by_atom(e, atom);
    if (nonnegative(split.coefficient)) return with_bounds(split, atom, /*lower=*/true);
    Polynomial negated;
    negated.add(split.coefficient, -1);
    return nonnegative(negated) && with_bounds(split, atom, /*lower=*/false);
  }

 private:
  const bool divides_;
  int steps_ = 200;

  static IndexRange range_of(const Polynomial& e) {
    IndexRange range{e.constant(), e.constant()};
    for (const IndexTerm& t : e.terms())
      if (t.node) range = add_ranges(range, multiply_ranges({t.coefficient, t.coefficient}, t.node->range));
    return range;
  }

  static const IndexNode* latest_atom(const Polynomial& e) {
    const IndexNode* latest = nullptr;
    for (const IndexTerm& t : e.terms())
      for (const IndexNode* atom : atoms_of(t.node))
        if (!latest || atom->id > latest->id) latest = atom;
    return latest;
  }

  bool with_bound(const AtomSplit& split, IndexExpr bound) {
    Polynomial e = multiply(split.coefficient, Polynomial(bound));
    e.add(split.rest);
    return nonnegative(e);
  }

  bool with_bounds(const AtomSplit& split, const IndexNode* atom, bool lower) {
    const auto proved = [&](IndexExpr bound) { return with_bound(split, bound); };
    if (atom->op == IndexOp::min || atom->op == IndexOp::max) {
      // min(a, b) is at most each of its operands, and at least what all of them are at least; max likewise.
      const bool any = (atom->op == IndexOp::min) != lower;
      return any ? std::any_of(atom->args.begin(), atom->args.end(), proved)
                 : std::all_of(atom->args.begin(), atom->args.end(), proved);
    }
    const auto bounds = lower ? lower_bounds(atom) : upper_bounds(atom);
    if (std::any_of(bounds.begin(), bounds.end(), proved)) return true;
    return atom->op == IndexOp::floordiv && with_dividend(split, atom, lower);
  }

  // x - d + 1 <= d * floordiv(x, d) <= x. What is to be shown is multiplied by d, and may miss d - 1 then, as it is an
  // integer.
  bool with_dividend(const AtomSplit& split, const IndexNode* quotient, bool lower) {
    const IndexExpr x = quotient->args[0], d = quotient->args[1];
    if (d.range().lo < 1) return false;
    Polynomial e = multiply(split.coefficient, Polynomial(lower ? x - d + 1 : x));
    e.add(multiply(split.rest, Polynomial(d)));
    e.add(Polynomial(d - 1));
    return nonnegative(e);
  }

  std::vector<IndexExpr> lower_bounds(const IndexNode* atom) {
    std::vector<IndexExpr> bounds;
    if (atom->range.lo != -kUnbounded) bounds.push_back(atom->range.lo);
    return bounds;
  }

  std::vector<IndexExpr> upper_bounds(const IndexNode* atom) {
    std::vector<IndexExpr> bounds;
    if (atom->op == IndexOp::variable && atom->kind != VarKind::symbol) bounds.push_back(atom->extent - 1);
    if (atom->op == IndexOp::mod) {
      bounds.push_back(atom->args[1] - 1);
      if (atom->args[0].range().lo >= 0) bounds.push_back(atom->args[0]);
    }
    if (atom->op == IndexOp::floordiv && divides_)
      if (auto most = greatest(atom->args[0]); most && *most != atom->args[0])
        bounds.push_back(floordiv(*most, atom->args[1]));
    if (atom->range.hi != kUnbounded) bounds.push_back(atom->range.hi);
    return bounds;
  }

  // An upper bound free of loop variables, or nullopt.
  std::optional<IndexExpr> greatest(IndexExpr e) {
    for (int round = 0; round < 8; round++) {
      const Polynomial p(e);
      const IndexNode* atom = latest_loop(p);
      if (!atom) return e;
      const AtomSplit split = split_by_atom(p, atom);
      Polynomial negated;
      negated.add(split.coefficient, -1);
      const bool up = nonnegative(split.coefficient);
      if (!up && !nonnegative(negated)) return std::nullopt;
      Polynomial next = split.rest;
      if (up) next.add(multiply(split.coefficient, Polynomial(atom->extent - 1)));
      e = simplify_sum(next);
    }
    return std::nullopt;
  }

  // The latest loop or indirect variable, provided that no composite atom could hide one.
  static const IndexNode* latest_loop(const Polynomial& p) {
    const IndexNode* atom = latest_atom(p);
    return atom && atom->op == IndexOp::variable && atom->kind != VarKind::symbol ? atom : nullptr;
  }
};

bool share_a_term(const Polynomial& a, const Polynomial& b) {
  return std::any_of(a.terms().begin(), a.terms().end(), [&](const IndexTerm& t) {
    return t.node &&
           std::any_of(b.terms().begin(), b.terms().end(), [&](const IndexTerm& u) { return u.node == t.node; });
  });
}

// e >= 0 where e - (most - least) >= 0 for an assumption least <= most.
bool prove_by_assumptions(const Polynomial& e, const std::vector<IndexBound>& assumptions) {
  return std::any_of(assumptions.begin(), assumptions.end(), [&](const IndexBound& bound) {
    const Polynomial assumed(bound.most - bound.least);
    if (!share_a_term(e, assumed)) return false;
    Polynomial rest = e;
    rest.add(assumed, -1);
    return Prover(/*divides=*/false).nonnegative(rest);
  });
}

constexpr int kDividing = 2;  // deeper proofs take the short way

bool search_proof(const Polynomial& e, const std::vector<IndexBound>& assumptions) {
  const ProofScope scope;
  try {
    if (Prover(ProofScope::depth() <= kDividing).nonnegative(e)) return true;
    return ProofScope::depth() == 1 && prove_by_assumptions(e, assumptions);
  } catch (const UserError&) {
    return false;  // its numbers leave 64 bits
  }
}

bool prove_nonnegative(IndexExpr e) {
  if (e.range().lo >= 0) return true;
  if (e.is_constant() || e.range().hi < 0 || ProofScope::depth() == ProofScope::kDeepest) return false;
  IndexArena& arena = *e.node()->arena;
  return !remembered(memo_of(arena), IndexMemo::Question::nonnegative, e, 0, [&] {
            return IndexExpr(int64_t{search_proof(Polynomial(e), arena.assumptions())});
          }).is_constant(0);
}

}  // namespace

bool prove_less_equal(IndexExpr a, IndexExpr b) { return prove_nonnegative(b - a); }
bool prove_less(IndexExpr a, IndexExpr b) { return prove_nonnegative(b - a - 1); }
bool prove_equal(IndexExpr a, IndexExpr b) { return a == b || (prove_less_equal(a, b) && prove_less_equal(b, a)); }

}  // namespace cppgen::ir
