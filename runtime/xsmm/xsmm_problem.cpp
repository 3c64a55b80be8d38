#include "runtime/xsmm/xsmm_problem.h"

#include <algorithm>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kMaxKernelSize = std::numeric_limits<int32_t>::max();  // libxsmm's integers

void require(bool ok, const char* what) {
  if (!ok) user_error("plan: {}: {}", kXsmmContraction, what);
}

int64_t product_of(int64_t a, int64_t b) { return checked_mul(a, b, kXsmmContraction.data()); }

// Elements from the first to the last, stepwise.
class Span {
 public:
  explicit Span(int64_t start) : last_(start) {}
  Span& over(int64_t extent, int64_t stride) {
    last_ = checked_add(last_, product_of(extent - 1, stride), kXsmmContraction.data());
    return *this;
  }
  int64_t elements() const { return last_ + 1; }

 private:
  int64_t last_;
};

// All combinations of the loops' offsets, the last loop fastest.
std::vector<int64_t> tap_offsets(const std::vector<XsmmProblem::Tap>& taps) {
  std::vector<int64_t> offsets{0};
  for (const XsmmProblem::Tap& tap : taps) {
    std::vector<int64_t> next;
    require(product_of(int64_t(offsets.size()), tap.extent) <= kXsmmMostTaps, "too many taps");
    for (int64_t base : offsets)
      for (int64_t t = 0; t < tap.extent; t++)
        next.push_back(checked_add(base, product_of(t, tap.left), kXsmmContraction.data()));
    offsets = std::move(next);
  }
  return offsets;
}

void check_buffers(const XsmmProblem& p, std::span<const int64_t> bytes) {
  Span left(p.left_start), batch(0), out(0);
  left.over(p.rows, p.left_row).over(p.k, 1);
  out.over(p.rows, p.out_row).over(p.columns, 1);
  int64_t elements = product_of(p.rows, p.columns);
  for (const auto& o : p.outer) {
    left.over(o.extent, o.left), batch.over(o.extent, o.batch), out.over(o.extent, o.out);
    elements = product_of(elements, o.extent);
  }
  const int64_t last_tap = *std::max_element(p.tap_offsets.begin(), p.tap_offsets.end());
  require(checked_add(left.elements(), last_tap, kXsmmContraction.data()) <= bytes[0] / 4, "size of the left operand");
  require(product_of(batch.elements(), p.batch_elements()) <= bytes[1] / 4, "size of the panels");
  // Chunks run at the same time, so each element has its own place.
  require(std::max(out.elements(), elements) <= bytes[2] / 4, "size of the output");
}

}  // namespace

int64_t XsmmProblem::outer_points() const {
  int64_t points = 1;
  for (const Outer& o : outer) points = product_of(points, o.extent);
  return points;
}

int64_t XsmmProblem::panels() const { return (columns + kXsmmPanelColumns - 1) / kXsmmPanelColumns; }

int64_t XsmmProblem::batch_elements() const {
  return product_of(product_of(panels(), kXsmmPanelColumns), product_of(tap_count(), k));
}

XsmmProblem read_xsmm_problem(const BoundCall& bound) {
  const std::span<const int64_t> bytes = bound.bytes;
  require(bytes.size() == 3, "too few buffers");
  XsmmProblem p{read_call<XsmmCall<int64_t>>(kXsmmContraction, bound), {}};
  p.tap_offsets = tap_offsets(p.taps);
  if (p.rows <= 1) p.left_row = std::max(p.left_row, p.k), p.out_row = std::max(p.out_row, p.columns);
  require(p.left_row >= p.k && p.out_row >= p.columns, "rows overlap");
  for (int64_t size : {p.rows, p.columns, p.k, p.left_row, p.out_row})
    require(size <= kMaxKernelSize, "a size is too large for libxsmm");
  const bool empty = p.rows == 0 || p.columns == 0 || p.outer_points() == 0;
  if (!empty && p.k > 0 && p.tap_count() > 0) check_buffers(p, bytes);
  require(product_of(product_of(p.rows, p.columns), p.outer_points()) <= bytes[2] / 4, "size of the output");
  return p;
}

}  // namespace cppgen::rt
