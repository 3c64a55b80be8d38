#include "cppgen/ops/library_calls.h"

namespace cppgen::ops {

AxisExtents extents_along(const Shape& shape, int axis) {
  AxisExtents e;
  for (int d = 0; d < int(shape.size()); ++d) {
    if (d == axis) {
      e.count = shape[size_t(d)];
    } else {
      IndexExpr& part = d < axis ? e.outer : e.inner;
      part = part * shape[size_t(d)];
    }
  }
  return e;
}

ir::BufferId emit_as(LowerContext& c, ir::BufferId from, DType type, const std::string& name) {
  const ir::Buffer& buffer = c.program().buffer(from);
  if (buffer.type == type) return from;
  const ir::BufferId to = c.temporary(type, buffer.shape);
  c.emit_pointwise(
      to, [&](const auto& at) { return load(c, from, at).cast(ir::value_type(type)); }, name);
  return to;
}

ir::BufferId result_as(LowerContext& c, int output, DType type) {
  return c.output(output).dtype == type ? c.output_buffer(output) : c.temporary(type, c.output(output).shape);
}

void emit_result(LowerContext& c, ir::BufferId from, int output) {
  const ir::BufferId to = c.output_buffer(output);
  if (from == to) return;
  const DType type = ir::value_type(c.output(output).dtype);
  c.emit_pointwise(
      to, [&](const auto& at) { return load(c, from, at).cast(type); }, "result");
}

}  // namespace cppgen::ops
