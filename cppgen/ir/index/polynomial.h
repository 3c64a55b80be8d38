#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

// The working form of the index simplifier: a sum of coefficient x monomial, ordered by monomial id, without zero
// coefficients. The null monomial is 1; any other is an atom (a node that is neither sum nor product) or a product of
// atoms. Sums multiply out, so equal polynomials over atoms are equal expressions.
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(IndexExpr);

  const std::vector<IndexTerm>& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  int64_t constant() const;
  IndexExpr to_expr() const;  // interned unchanged: no rules are applied

  void add(int64_t coefficient, const IndexNode* monomial);
  void add(const Polynomial&, int64_t factor = 1);
  // True if every term of `other` except for its constant occurs here with a coefficient of the same sign that is at
  // least as large.
  bool contains(const Polynomial& other) const;

 private:
  std::vector<IndexTerm> terms_;
};

// Thrown for a product of more terms than any realistic shape has.
struct ExpressionTooLarge : UserError {
  using UserError::UserError;
};
Polynomial multiply(const Polynomial&, const Polynomial&);  // may throw ExpressionTooLarge

// The atoms of a monomial, ordered by id, repeated for powers; none for null.
std::vector<const IndexNode*> atoms_of(const IndexNode* monomial);
const IndexNode* multiply_monomials(const IndexNode*, const IndexNode*);
// a / b, or nullopt if b does not divide a.
std::optional<const IndexNode*> divide_monomials(const IndexNode* a, const IndexNode* b);
const IndexNode* common_monomial(const IndexNode*, const IndexNode*);  // greatest common divisor

// value = coefficient * atom + rest; the atom is not a factor in the rest, nor in the coefficient unless it occurs
// squared.
struct AtomSplit {
  Polynomial coefficient, rest;
};
AtomSplit split_by_atom(const Polynomial&, const IndexNode* atom);

// value = quotient * divisor + remainder, taking out terms that are multiples of the divisor. With a constant divisor
// c the constant of the remainder is in [0, c) and its coefficients are less than c in magnitude.
struct Division {
  Polynomial quotient, remainder;
};
Division divide(const Polynomial& value, const Polynomial& divisor);
std::optional<IndexExpr> divide_exactly(IndexExpr value, IndexExpr divisor);

int64_t floor_div(int64_t, int64_t);  // divisor > 0
int64_t floor_mod(int64_t, int64_t);

}  // namespace cppgen::ir
