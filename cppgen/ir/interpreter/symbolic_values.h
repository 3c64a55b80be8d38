#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "cppgen/ir/program/program.h"

// Values as index expressions, for interpret_symbolic.
namespace cppgen::ir {

// Thrown if a value is not an index expression; values that depend on it stay unknown.
struct NotExpressible {};

template <class T>
T need(std::optional<T> v) {
  if (!v) throw NotExpressible();
  return *v;
}

// Element `at` of a constant of integers or bool.
int64_t constant_element(const Buffer&, int64_t at);

using Elements = std::vector<std::optional<IndexExpr>>;  // elements of a tensor; empty if unknown

// Values at one point of a nest; the references must outlive it.
class PointValues {
 public:
  PointValues(const Program& program, const std::vector<Elements>& tensors, const IndexMap& point,
              const std::vector<IndexExpr>& accumulators)
      : program_(program), tensors_(tensors), point_(point), accumulators_(accumulators) {}

  IndexExpr index(IndexExpr e) const { return substitute(e, point_); }
  IndexExpr value(Expr);
  // The element of `b` at these indices.
  int64_t offset(const Buffer& b, const std::vector<IndexExpr>& indices, const std::vector<Indirect>& indirects);

 private:
  const Program& program_;
  const std::vector<Elements>& tensors_;  // by buffer
  const IndexMap& point_;
  const std::vector<IndexExpr>& accumulators_;
  std::unordered_map<Expr, IndexExpr> done_;

  IndexExpr compute(Expr);
  IndexExpr select(Expr);
  IndexMap with_bindings(const std::vector<Indirect>&);
  bool is_outside(Expr load);
  IndexExpr load(Expr);
};

}  // namespace cppgen::ir
