#include "cppgen/ops/axis_split.h"

namespace cppgen::ops {

ir::BufferId reduce_axes(LowerContext& c, const AxisSplit& axes, const std::string& name, ir::ReduceOp op, DType result,
                         const std::function<Scalar(const std::vector<IndexExpr>& at)>& value,
                         const std::function<Scalar(Scalar)>& finish) {
  ir::BufferId out = c.temporary(result, axes.kept());
  emit_reduction(c, {name, out, axes.reduced(), op,
                     [&](const auto& at, const auto& inner) { return value(axes.merge(at, inner)); }, finish});
  return out;
}

Moments emit_moments(LowerContext& c, const AxisSplit& axes, DType type,
                     const std::function<Scalar(const std::vector<IndexExpr>& at)>& value) {
  auto average = [&](Scalar sum) { return sum / index_value(c, axes.count(), type); };
  ir::BufferId mean = reduce_axes(c, axes, "mean", ir::ReduceOp::sum, type, value, average);
  auto squared = [&](const std::vector<IndexExpr>& at) {
    Scalar centred = value(at) - load(c, mean, axes.kept_of(at));
    return centred * centred;
  };
  return {mean, reduce_axes(c, axes, "variance", ir::ReduceOp::sum, type, squared, average)};
}

}  // namespace cppgen::ops
