#include "cppgen/ops/shapes/reindex.h"

#include <algorithm>

#include "cppgen/ir/index/polynomial.h"
#include "runtime/base/checked.h"

namespace cppgen::ops {
namespace {

// A product as a constant and other factors.
struct Factors {
  int64_t constant = 1;
  std::vector<IndexExpr> symbolic;
};

void add_factors(IndexExpr e, Factors& out) {
  if (e.is_constant()) {
    out.constant = checked_mul(out.constant, e.constant(), "elements of a shape");
    return;
  }
  const ir::IndexNode& n = *e.node();
  if (n.op == ir::IndexOp::product) {
    for (const IndexExpr& factor : n.args) add_factors(factor, out);
  } else if (n.op == ir::IndexOp::sum && n.terms.size() == 1 && n.constant == 0) {
    out.constant = checked_mul(out.constant, n.terms[0].coefficient, "elements of a shape");
    add_factors(IndexExpr(n.terms[0].node), out);
  } else {
    out.symbolic.push_back(e);
  }
}

Factors factors_of(const Shape& shape) {
  Factors out;
  for (const IndexExpr& d : shape) add_factors(d, out);
  return out;
}

struct Group {
  size_t from_begin, from_end, to_begin, to_end;
};

std::span<const IndexExpr> part(const Shape& s, size_t begin, size_t end) { return {s.data() + begin, end - begin}; }

// The smallest next group of dimensions with equal products; all remaining dimensions if there is none.
Group next_group(const Shape& from, const Shape& to, size_t f, size_t t) {
  for (size_t total = 1; total <= from.size() - f + to.size() - t; ++total) {
    for (size_t in = std::min(total, from.size() - f) + 1; in-- > 0;) {
      size_t out = total - in;
      if (out > to.size() - t) break;
      if (ir::prove_equal(ir::product(part(from, f, f + in)), ir::product(part(to, t, t + out)))) {
        return {f, f + in, t, t + out};
      }
    }
  }
  return {f, from.size(), t, to.size()};
}

}  // namespace

IndexExpr linear_index(const Shape& shape, const std::vector<IndexExpr>& at) {
  IndexExpr linear, stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride = stride * shape[d]) linear = linear + at[d] * stride;
  return linear;
}

std::vector<IndexExpr> reshaped_index(const Shape& from, const Shape& to, const std::vector<IndexExpr>& at) {
  std::vector<IndexExpr> out(from.size());
  bool empty = std::any_of(from.begin(), from.end(), [](IndexExpr d) { return d.is_constant(0); });
  if (empty) return out;  // there are no elements
  for (size_t f = 0, t = 0; f < from.size() || t < to.size();) {
    Group g = next_group(from, to, f, t);
    f = g.from_end, t = g.to_end;
    auto to_part = part(to, g.to_begin, g.to_end);
    IndexExpr linear = linear_index({to_part.begin(), to_part.end()}, {at.begin() + g.to_begin, at.begin() + g.to_end});
    IndexExpr stride = 1;
    for (size_t d = g.from_end; d-- > g.from_begin; stride = stride * from[d]) {
      if (from[d].is_constant(1)) continue;
      IndexExpr position = floordiv(linear, stride);
      bool outermost =
          std::all_of(from.begin() + g.from_begin, from.begin() + d, [](IndexExpr e) { return e.is_constant(1); });
      out[d] = outermost ? position : mod(position, from[d]);
    }
  }
  return out;
}

// Divides where factors are sums: (b * w - b) * 6 rows are 6 for each of w - 1 times b; 2 * n + 6 elements are 2 rows
// of n + 3.
static std::optional<IndexExpr> quotient_of_sums(const Shape& dividend, const Shape& divisor) {
  const IndexExpr size = ir::product(divisor);
  if (size.is_constant(0)) return std::nullopt;
  const auto quotient = ir::divide_exactly(ir::product(dividend), size);
  return quotient && ir::prove_less_equal(IndexExpr(), *quotient) ? quotient : std::nullopt;
}

std::optional<IndexExpr> exact_quotient(const Shape& dividend, const Shape& divisor) {
  Factors a = factors_of(dividend), b = factors_of(divisor);
  for (const IndexExpr& factor : b.symbolic) {
    auto it = std::find(a.symbolic.begin(), a.symbolic.end(), factor);
    if (it == a.symbolic.end()) return quotient_of_sums(dividend, divisor);
    a.symbolic.erase(it);
  }
  if (b.constant == 0) return std::nullopt;
  if (a.constant % b.constant != 0) return quotient_of_sums(dividend, divisor);
  return ir::product(a.symbolic) * IndexExpr(a.constant / b.constant);
}

}  // namespace cppgen::ops
