#include "cppgen/ir/index/index_range.h"

#include <algorithm>

#include "cppgen/ir/index/polynomial.h"

namespace cppgen::ir {

namespace {

int64_t clamp(__int128 v) {
  if (v >= kUnbounded) return kUnbounded;
  if (v <= -kUnbounded) return -kUnbounded;
  return static_cast<int64_t>(v);
}

bool infinite(int64_t v) { return v == kUnbounded || v == -kUnbounded; }

// The sum of two lower (or two upper) bounds; an unknown one stays unknown.
int64_t add_bound(int64_t a, int64_t b, int64_t unknown) {
  if (infinite(a) || infinite(b)) return unknown;
  return clamp(static_cast<__int128>(a) + b);
}

int64_t multiply_bound(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return (a > 0) == (b > 0) ? kUnbounded : -kUnbounded;
  return clamp(static_cast<__int128>(a) * b);
}

// a / b rounded down, for b > 0.
int64_t divide_bound(int64_t a, int64_t b) {
  if (b == kUnbounded) return a < 0 ? -1 : 0;
  return infinite(a) ? a : floor_div(a, b);
}

}  // namespace

IndexRange add_ranges(IndexRange a, IndexRange b) {
  return {add_bound(a.lo, b.lo, -kUnbounded), add_bound(a.hi, b.hi, kUnbounded)};
}

IndexRange multiply_ranges(IndexRange a, IndexRange b) {
  const int64_t corners[] = {multiply_bound(a.lo, b.lo), multiply_bound(a.lo, b.hi), multiply_bound(a.hi, b.lo),
                             multiply_bound(a.hi, b.hi)};
  const auto [lo, hi] = std::minmax_element(std::begin(corners), std::end(corners));
  return {*lo, *hi};
}

IndexRange floordiv_range(IndexRange a, IndexRange b) {
  b.lo = std::max<int64_t>(b.lo, 1);
  b.hi = std::max<int64_t>(b.hi, 1);
  const int64_t lo = a.lo == -kUnbounded ? -kUnbounded : divide_bound(a.lo, a.lo >= 0 ? b.hi : b.lo);
  const int64_t hi = a.hi == kUnbounded ? kUnbounded : divide_bound(a.hi, a.hi >= 0 ? b.lo : b.hi);
  return {lo, hi};
}

IndexRange mod_range(IndexRange a, IndexRange b) {
  const int64_t hi = b.hi == kUnbounded ? kUnbounded : std::max<int64_t>(b.hi - 1, 0);
  return {0, a.lo >= 0 ? std::min(hi, a.hi) : hi};
}

namespace {

IndexRange variable_range(const IndexNode& v) {
  if (v.kind == VarKind::symbol) return v.range;
  const int64_t hi = v.extent.range().hi;
  return {0, hi == kUnbounded ? hi : std::max<int64_t>(hi - 1, 0)};
}

IndexRange sum_range(const IndexNode& sum) {
  IndexRange r{sum.constant, sum.constant};
  for (const IndexTerm& t : sum.terms)
    r = add_ranges(r, multiply_ranges({t.coefficient, t.coefficient}, t.node->range));
  return r;
}

}  // namespace

IndexRange range_of(const IndexNode& node) {
  switch (node.op) {
    case IndexOp::variable:
      return variable_range(node);
    case IndexOp::sum:
      return sum_range(node);
    case IndexOp::floordiv:
      return floordiv_range(node.args[0].range(), node.args[1].range());
    case IndexOp::mod:
      return mod_range(node.args[0].range(), node.args[1].range());
    default:
      break;
  }
  IndexRange r = node.args[0].range();
  for (size_t i = 1; i < node.args.size(); i++) {
    const IndexRange s = node.args[i].range();
    if (node.op == IndexOp::product) r = multiply_ranges(r, s);
    if (node.op == IndexOp::min) r = {std::min(r.lo, s.lo), std::min(r.hi, s.hi)};
    if (node.op == IndexOp::max) r = {std::max(r.lo, s.lo), std::max(r.hi, s.hi)};
  }
  return r;
}

}  // namespace cppgen::ir
