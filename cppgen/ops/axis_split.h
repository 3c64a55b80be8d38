#pragma once
#include <vector>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// A shape divided into reduced and kept dimensions; or, if these are known only at run time, each dimension is divided
// into a kept and a reduced part, one of which is 1.
class AxisSplit {
 public:
  static AxisSplit of_parts(Shape kept, Shape reduced) {
    AxisSplit split({}, {});
    split.of_parts_ = true;
    split.kept_ = std::move(kept), split.reduced_ = std::move(reduced);
    return split;
  }
  AxisSplit(const Shape& shape, const std::vector<int>& axes) : is_reduced_(shape.size(), false) {
    for (int a : axes) is_reduced_[a] = true;
    for (size_t d = 0; d < shape.size(); ++d) (is_reduced_[d] ? reduced_ : kept_).push_back(shape[d]);
  }
  // The last dimensions, from `axis`.
  static AxisSplit from_axis(const Shape& shape, int axis) {
    std::vector<int> axes;
    for (int d = axis; d < int(shape.size()); ++d) axes.push_back(d);
    return AxisSplit(shape, axes);
  }

  const Shape& kept() const { return kept_; }
  const Shape& reduced() const { return reduced_; }
  bool is_reduced(int d) const { return is_reduced_[d]; }
  IndexExpr count() const { return ir::product(reduced_); }

  // The shape with reduced dimensions of 1.
  Shape keep_dims() const {
    return of_parts_ ? kept_ : merge(kept_, std::vector<IndexExpr>(reduced_.size(), IndexExpr(int64_t(1))));
  }
  std::vector<IndexExpr> merge(const std::vector<IndexExpr>& kept, const std::vector<IndexExpr>& reduced) const {
    std::vector<IndexExpr> out;
    for (size_t d = 0; of_parts_ && d < kept.size(); ++d) out.push_back(kept[d] + reduced[d]);
    for (size_t d = 0, k = 0, r = 0; d < is_reduced_.size(); ++d)
      out.push_back(is_reduced_[d] ? reduced[r++] : kept[k++]);
    return out;
  }
  std::vector<IndexExpr> kept_of(const std::vector<IndexExpr>& at) const { return pick(at, false); }
  std::vector<IndexExpr> reduced_of(const std::vector<IndexExpr>& at) const { return pick(at, true); }

 private:
  std::vector<IndexExpr> pick(const std::vector<IndexExpr>& at, bool reduced) const {
    std::vector<IndexExpr> out;
    for (size_t d = 0; of_parts_ && d < at.size(); ++d)
      out.push_back(ir::min(at[d], (reduced ? reduced_ : kept_)[d] - 1));
    for (size_t d = 0; !of_parts_ && d < at.size(); ++d) {
      if (is_reduced_[d] == reduced) out.push_back(at[d]);
    }
    return out;
  }
  std::vector<bool> is_reduced_;
  bool of_parts_ = false;
  Shape kept_, reduced_;
};

// A temporary of the kept shape: finish(op over the reduced dimensions of value(index in the whole shape)).
ir::BufferId reduce_axes(LowerContext&, const AxisSplit&, const std::string& name, ir::ReduceOp, DType result,
                         const std::function<Scalar(const std::vector<IndexExpr>& at)>& value,
                         const std::function<Scalar(Scalar)>& finish = nullptr);

// Mean and population variance of `value` over the reduced dimensions, in nests of their own.
struct Moments {
  ir::BufferId mean, variance;
};
Moments emit_moments(LowerContext&, const AxisSplit&, DType type,
                     const std::function<Scalar(const std::vector<IndexExpr>& at)>& value);

}  // namespace cppgen::ops
