#include <algorithm>
#include <numeric>

#include "cppgen/ir/index/index_range.h"
#include "cppgen/ir/index/simplify_index.h"

namespace cppgen::ir {

namespace {

using Result = std::optional<IndexExpr>;

bool inside(IndexExpr x, IndexExpr extent) { return prove_less_equal(0, x) && prove_less(x, extent); }

bool is_op(IndexExpr e, IndexOp op) { return !e.is_constant() && e.node()->op == op; }

// --- floordiv and mod ---

Result floordiv_one(IndexExpr x, IndexExpr d) { return d.is_constant(1) ? Result(x) : std::nullopt; }
Result mod_one(IndexExpr, IndexExpr d) { return d.is_constant(1) ? Result(0) : std::nullopt; }

Result floordiv_range_rule(IndexExpr x, IndexExpr d) {
  const IndexRange r = floordiv_range(x.range(), d.range());
  return r.lo == r.hi ? Result(r.lo) : std::nullopt;
}

Result floordiv_inside(IndexExpr x, IndexExpr d) {
  if (inside(x, d)) return 0;
  if (prove_less(x, 0) && prove_less_equal(0, x + d)) return -1;
  return std::nullopt;
}

Result mod_constant_quotient(IndexExpr x, IndexExpr d) {
  const IndexExpr q = floordiv(x, d);
  return q.is_constant() ? Result(x - q * d) : std::nullopt;
}

Result floordiv_split(IndexExpr x, IndexExpr d) {
  const Division parts = divide(Polynomial(x), Polynomial(d));
  if (parts.quotient.is_zero()) return std::nullopt;
  return simplify_sum(parts.quotient) + floordiv(simplify_sum(parts.remainder), d);
}

Result mod_split(IndexExpr x, IndexExpr d) {
  const Division parts = divide(Polynomial(x), Polynomial(d));
  if (parts.quotient.is_zero()) return std::nullopt;
  return mod(simplify_sum(parts.remainder), d);
}

// x = factor * y + rest, d = factor * e, 0 <= rest < factor
struct CommonFactor {
  IndexExpr factor, y, rest, e;
};

std::optional<CommonFactor> take_out(const Polynomial& x, IndexTerm factor, IndexTerm divisor) {
  Polynomial y, rest, f, e;
  for (const IndexTerm& t : x.terms()) {
    const auto quotient = divide_monomials(t.node, factor.node);
    const bool constant = !t.node && !factor.node;
    if (!quotient || (!constant && t.coefficient % factor.coefficient != 0)) {
      rest.add(t.coefficient, t.node);
      continue;
    }
    y.add(floor_div(t.coefficient, factor.coefficient), *quotient);
    rest.add(floor_mod(t.coefficient, factor.coefficient), nullptr);
  }
  f.add(factor.coefficient, factor.node);
  e.add(divisor.coefficient / factor.coefficient, *divide_monomials(divisor.node, factor.node));
  const CommonFactor result{f.to_expr(), simplify_sum(y), simplify_sum(rest), e.to_expr()};
  return inside(result.rest, result.factor) ? std::optional(result) : std::nullopt;
}

std::optional<CommonFactor> find_common_factor(IndexExpr x, IndexExpr d) {
  const Polynomial value(x), divisor(d);
  if (divisor.terms().size() != 1 || divisor.terms()[0].coefficient <= 0) return std::nullopt;
  const IndexTerm whole = divisor.terms()[0];
  for (const IndexTerm& t : value.terms()) {
    const IndexTerm factor{std::gcd(t.coefficient, whole.coefficient), common_monomial(t.node, whole.node)};
    const bool is_one = factor.coefficient == 1 && !factor.node;
    const bool is_whole = factor.coefficient == whole.coefficient && factor.node == whole.node;
    if (!t.node || is_one || is_whole) continue;
    if (auto found = take_out(value, factor, whole)) return found;
  }
  return std::nullopt;
}

Result floordiv_common_factor(IndexExpr x, IndexExpr d) {
  const auto f = find_common_factor(x, d);
  return f ? Result(floordiv(f->y, f->e)) : std::nullopt;
}

Result mod_common_factor(IndexExpr x, IndexExpr d) {
  const auto f = find_common_factor(x, d);
  return f ? Result(f->factor * mod(f->y, f->e) + f->rest) : std::nullopt;
}

Result floordiv_nested(IndexExpr x, IndexExpr d) {
  const int64_t c = Polynomial(x).constant();
  const IndexExpr inner = x - c;
  if (!is_op(inner, IndexOp::floordiv)) return std::nullopt;
  const auto& args = inner.node()->args;
  return floordiv(args[0] + args[1] * c, args[1] * d);
}

Result floordiv_of_mod(IndexExpr x, IndexExpr d) {
  if (!is_op(x, IndexOp::mod)) return std::nullopt;
  const auto& args = x.node()->args;
  const auto k = divide_exactly(args[1], d);
  return k ? Result(mod(floordiv(args[0], d), *k)) : std::nullopt;
}

// A term c * mod(y, e) is c * y where the divisor divides c * e.
Result mod_of_mod(IndexExpr x, IndexExpr d) {
  const Polynomial sum(x);
  for (const IndexTerm& t : sum.terms()) {
    if (!t.node || t.node->op != IndexOp::mod) continue;
    const IndexExpr y = t.node->args[0], e = t.node->args[1];
    if (!divide_exactly(e * t.coefficient, d)) continue;
    Polynomial result = sum;
    result.add(-t.coefficient, t.node);
    result.add(Polynomial(y), t.coefficient);
    return mod(simplify_sum(result), d);
  }
  return std::nullopt;
}

// d - 1 - x, whose leading coefficient is positive where that of x is negative: floordiv(x, d) = -floordiv(d - 1 - x,
// d) and mod(x, d) = d - 1 - mod(d - 1 - x, d).
Result mirrored(IndexExpr x, IndexExpr d) {
  const Polynomial sum(x);
  const auto leading = std::find_if(sum.terms().begin(), sum.terms().end(), [](const IndexTerm& t) { return t.node; });
  if (!d.is_constant() || leading == sum.terms().end() || leading->coefficient > 0) return std::nullopt;
  return d - 1 - x;
}

Result floordiv_negative(IndexExpr x, IndexExpr d) {
  const Result y = mirrored(x, d);
  return y ? Result(-1 * floordiv(*y, d)) : std::nullopt;
}

Result mod_negative(IndexExpr x, IndexExpr d) {
  const Result y = mirrored(x, d);
  return y ? Result(d - 1 - mod(*y, d)) : std::nullopt;
}

// So the remainder of n + 1 and that of n are expressions of each other.
Result mod_odd(IndexExpr x, IndexExpr d) {
  const bool odd = d.is_constant(2) && !x.is_constant() && Polynomial(x).constant() % 2 != 0;
  return odd ? Result(1 - mod(x - 1, 2)) : std::nullopt;
}

// --- min and max ---

Result min_ordered(IndexExpr a, IndexExpr b) {
  if (prove_less_equal(a, b)) return a;
  return prove_less_equal(b, a) ? Result(b) : std::nullopt;
}

Result max_ordered(IndexExpr a, IndexExpr b) {
  if (prove_less_equal(a, b)) return b;
  return prove_less_equal(b, a) ? Result(a) : std::nullopt;
}

// --- sums: identities  from = to  between polynomials, found by a term that has a floordiv or mod as a factor ---

// Returns how often `part` fits into `sum`, its constant aside.
int64_t multiplicity(const Polynomial& sum, const Polynomial& part) {
  int64_t times = part.constant() != 0 && part.terms().size() == 1 ? 0 : kUnbounded;
  for (const IndexTerm& p : part.terms()) {
    if (!p.node) continue;
    int64_t quotient = 0;
    for (const IndexTerm& t : sum.terms())
      if (t.node == p.node) quotient = t.coefficient / p.coefficient;
    times = std::min(times, quotient);
  }
  return part.is_zero() ? 0 : times;
}

std::optional<Polynomial> replaced(const Polynomial& sum, const Polynomial& from, const Polynomial& to) {
  const int64_t times = multiplicity(sum, from);
  if (times <= 0) return std::nullopt;
  Polynomial result = sum;
  result.add(from, -times);
  result.add(to, times);
  return result;
}

Result replace(const Polynomial& sum, const Polynomial& from, const Polynomial& to) {
  const auto result = replaced(sum, from, to);
  return result ? Result(simplify_sum(*result)) : std::nullopt;
}

// Calls try_at(atom, cofactor with the term's sign) for every factor of kind `op` in every term.
template <class F>
Result at_each(IndexExpr e, IndexOp op, F try_at) {
  const Polynomial sum(e);
  for (const IndexTerm& t : sum.terms())
    for (const IndexNode* atom : atoms_of(t.node)) {
      if (atom->op != op) continue;
      Polynomial cofactor;
      cofactor.add(t.coefficient > 0 ? 1 : -1, *divide_monomials(t.node, atom));
      if (Result r = try_at(sum, atom, cofactor)) return r;
    }
  return std::nullopt;
}

Result sum_recompose(IndexExpr e, IndexExpr) {
  return at_each(e, IndexOp::mod, [](const Polynomial& sum, const IndexNode* atom, const Polynomial& cofactor) {
    const IndexExpr x = atom->args[0], d = atom->args[1];
    Polynomial whole(IndexExpr{atom});
    whole.add(multiply(Polynomial(d), Polynomial(floordiv(x, d))));
    return replace(sum, multiply(cofactor, whole), multiply(cofactor, Polynomial(x)));
  });
}

Result sum_merge_mods(IndexExpr e, IndexExpr) {
  return at_each(e, IndexOp::mod, [&](const Polynomial& sum, const IndexNode* low, const Polynomial& cofactor) {
    const IndexExpr x = low->args[0], a = low->args[1];
    const IndexExpr quotient = floordiv(x, a);
    return at_each(e, IndexOp::mod, [&](const Polynomial&, const IndexNode* high, const Polynomial&) {
      if (high->args[0] != quotient) return Result();
      Polynomial from(IndexExpr{low});
      from.add(multiply(Polynomial(a), Polynomial(IndexExpr{high})));
      const Polynomial to(mod(x, a * high->args[1]));
      return replace(sum, multiply(cofactor, from), multiply(cofactor, to));
    });
  });
}

// Calls rewrite(sum, scale, atom, scale * (x - d * atom)) for the first quotient atom = floordiv(x, d) that fits.
template <class F>
Result at_remainder(IndexExpr e, F rewrite) {
  return at_each(e, IndexOp::floordiv, [&](const Polynomial& sum, const IndexNode* atom, const Polynomial& cofactor) {
    const Polynomial divisor(atom->args[1]);
    // Each term of the divisor may be the one that this term of the sum belongs to.
    for (const IndexTerm& t : divisor.terms()) {
      const auto monomial = divide_monomials(cofactor.terms()[0].node, t.node);
      if (!monomial) continue;
      Polynomial scale, from(atom->args[0]);
      scale.add(cofactor.terms()[0].coefficient > 0 ? -1 : 1, *monomial);
      from.add(multiply(divisor, Polynomial(IndexExpr{atom})), -1);
      from = multiply(scale, from);
      if (multiplicity(sum, from) > 0) return rewrite(sum, scale, atom, from);
    }
    return Result();
  });
}

Result sum_remainder(IndexExpr e, IndexExpr) {
  return at_remainder(
      e, [](const Polynomial& sum, const Polynomial& scale, const IndexNode* atom, const Polynomial& from) {
        return replace(sum, from, multiply(scale, Polynomial(mod(atom->args[0], atom->args[1]))));
      });
}

bool has_remainder(IndexExpr e) {
  const auto found = [](const Polynomial&, const Polynomial&, const IndexNode*, const Polynomial&) {
    return Result(1);
  };
  return at_remainder(e, found).has_value();
}

// Replaces only if fewer terms are left, their constant aside, of which none makes a remainder again: rules that undo
// each other's work come to an end.
Result replace_if_shorter(const Polynomial& sum, const Polynomial& from, const Polynomial& to) {
  const auto length = [](const Polynomial& p) { return p.terms().size() - (p.constant() != 0 ? 1 : 0); };
  const auto result = replaced(sum, from, to);
  if (!result || length(*result) >= length(sum) || has_remainder(result->to_expr())) return std::nullopt;
  return simplify_sum(*result);
}

Result sum_quotient(IndexExpr e, IndexExpr) {
  return at_each(e, IndexOp::mod, [](const Polynomial& sum, const IndexNode* atom, const Polynomial& cofactor) {
    const IndexExpr x = atom->args[0], d = atom->args[1];
    if (d.range().lo < 1) return Result();
    Polynomial from(IndexExpr{atom});
    from.add(Polynomial(x), -1);
    const Polynomial to = multiply(Polynomial(-1 * d), Polynomial(floordiv(x, d)));
    return replace_if_shorter(sum, multiply(cofactor, from), multiply(cofactor, to));
  });
}

Result sum_even(IndexExpr e, IndexExpr) {
  return at_each(e, IndexOp::mod, [](const Polynomial& sum, const IndexNode* atom, const Polynomial& cofactor) {
    if (!atom->args[1].is_constant(2)) return Result();
    Polynomial from(IndexExpr{atom});
    from.add(Polynomial(atom->args[0]));
    const Polynomial to = multiply(Polynomial(2), Polynomial(floordiv(atom->args[0] + 1, 2)));
    return replace_if_shorter(sum, multiply(cofactor, from), multiply(cofactor, to));
  });
}

// The rest of a after b plus the part before it is all of a. The parts of a list that is split at b have these sizes.
Result sum_cut(IndexExpr e, IndexExpr) {
  return at_each(e, IndexOp::min, [](const Polynomial& sum, const IndexNode* atom, const Polynomial& cofactor) {
    if (atom->args.size() != 2) return Result();
    const Polynomial least(IndexExpr{atom});
    for (int k = 0; k < 2; k++) {
      const IndexExpr a = atom->args[size_t(k)], b = atom->args[size_t(1 - k)];
      Polynomial from(max(a - b, 0));
      from.add(least);
      if (auto r = replace(sum, multiply(cofactor, from), multiply(cofactor, Polynomial(a)))) return r;
    }
    return Result();
  });
}

constexpr IndexRule kRules[] = {
    {IndexOp::floordiv, "floordiv-one", "floordiv(x, 1) = x", floordiv_one},
    {IndexOp::floordiv, "floordiv-range", "floordiv(x, d) = q where the ranges leave one value", floordiv_range_rule},
    {IndexOp::floordiv, "floordiv-split", "floordiv(q*d + r, d) = q + floordiv(r, d)", floordiv_split},
    {IndexOp::floordiv, "floordiv-inside", "floordiv(x, d) = 0 if 0 <= x < d, -1 if -d <= x < 0", floordiv_inside},
    {IndexOp::floordiv, "floordiv-common-factor", "floordiv(g*y + b, g*e) = floordiv(y, e) if 0 <= b < g",
     floordiv_common_factor},
    {IndexOp::floordiv, "floordiv-nested", "floordiv(floordiv(x, a) + c, d) = floordiv(x + a*c, a*d)", floordiv_nested},
    {IndexOp::floordiv, "floordiv-of-mod", "floordiv(mod(x, k*d), d) = mod(floordiv(x, d), k)", floordiv_of_mod},
    {IndexOp::floordiv, "floordiv-negative", "floordiv(-x, d) = -floordiv(x + d - 1, d) for constant d",
     floordiv_negative},
    {IndexOp::mod, "mod-one", "mod(x, 1) = 0", mod_one},
    {IndexOp::mod, "mod-split", "mod(q*d + r, d) = mod(r, d)", mod_split},
    {IndexOp::mod, "mod-constant-quotient", "mod(x, d) = x - q*d if floordiv(x, d) = q is constant",
     mod_constant_quotient},
    {IndexOp::mod, "mod-common-factor", "mod(g*y + b, g*e) = g*mod(y, e) + b if 0 <= b < g", mod_common_factor},
    {IndexOp::mod, "mod-of-mod", "mod(c*mod(x, e) + y, d) = mod(c*x + y, d) if d divides c*e", mod_of_mod},
    {IndexOp::mod, "mod-negative", "mod(-x, d) = d - 1 - mod(x + d - 1, d) for constant d", mod_negative},
    {IndexOp::mod, "mod-odd", "mod(x + 1, 2) = 1 - mod(x, 2)", mod_odd},
    {IndexOp::min, "min-ordered", "min(a, b) = a if a <= b", min_ordered},
    {IndexOp::max, "max-ordered", "max(a, b) = b if a <= b", max_ordered},
    {IndexOp::sum, "sum-recompose", "d*floordiv(x, d) + mod(x, d) = x", sum_recompose},
    {IndexOp::sum, "sum-merge-mods", "a*mod(floordiv(x, a), b) + mod(x, a) = mod(x, a*b)", sum_merge_mods},
    {IndexOp::sum, "sum-remainder", "x - d*floordiv(x, d) = mod(x, d)", sum_remainder},
    {IndexOp::sum, "sum-quotient", "x - mod(x, d) = d*floordiv(x, d) if d > 0", sum_quotient},
    {IndexOp::sum, "sum-cut", "min(a, b) + max(a - b, 0) = a", sum_cut},
    {IndexOp::sum, "sum-even", "x + mod(x, 2) = 2*floordiv(x + 1, 2)", sum_even},
};

}  // namespace

std::span<const IndexRule> index_rules() { return kRules; }

}  // namespace cppgen::ir
