// MaxUnpool: values x and their positions in the whole result; everything else is 0.
#include <algorithm>

#include "cppgen/ops/declared.h"
#include "cppgen/ops/library_calls.h"
#include "cppgen/ops/shapes/reindex.h"
#include "runtime/plan/calls/scatter.h"

namespace cppgen::ops {
namespace {

// The unpooled shape according to the attributes; positions refer to this shape.
Shape shape_by_attributes(InferContext& c) {
  const Shape& x = c.shape(0);
  size_t axes = x.size() - 2;
  std::vector<int64_t> ones(axes, 1), zeros(2 * axes, 0), kernel = c.integers("kernel_shape");
  std::vector<int64_t> strides = c.integers("strides", ones), pads = c.integers("pads", zeros);
  if (kernel.size() != axes || strides.size() != axes || pads.size() != 2 * axes) {
    c.fail(fmt::format("kernel_shape, strides and pads must have {}, {} and {} values", axes, axes, 2 * axes));
  }
  Shape to = {x[0], x[1]};
  for (size_t d = 0; d < axes; ++d) {
    IndexExpr reach = (x[d + 2] - 1) * IndexExpr(strides[d]) + IndexExpr(kernel[d]);
    to.push_back(reach - IndexExpr(pads[d]) - IndexExpr(pads[d + axes]));
  }
  return to;
}

Shape unpooled_shape(InferContext& c) {
  Shape to = shape_by_attributes(c);
  if (!c.has_input(2)) return to;
  const int64_t entries = element_count(c, 2);
  if (entries != int64_t(to.size()))
    c.fail(fmt::format("the output shape has {} entries for {} dimensions", entries, to.size()));
  if (const auto* known = c.contents(2)) return *known;
  PartialShape partial(to.size());
  partial[0] = to[0], partial[1] = to[1];
  to = require_declared(c, 2, "the output shape", partial);
  require_rank(c, 0, int(to.size()), int(to.size()));
  return to;
}

// The conditions on an output shape that is known only at run time.
std::vector<Scalar> agrees_with_output_shape(LowerContext& c) {
  std::vector<Scalar> conditions;
  const Shape& to = c.output(0).shape;
  for (size_t d = 0; is_run_time(c, 2) && d < to.size(); ++d)
    conditions.push_back(integer_element(c, 2, int64_t(d)) == index_value(c, to[d]));
  return conditions;
}

void resolve_max_unpool(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    const Scalar requested = integer_element(c, 2, int64_t(d));
    result.push_back(d < 2 ? valid_or_refused(c, requested, {requested == index_value(c, c.shape(0)[d])}) : requested);
  }
  emit_dims(c, dims, result);
}

void infer_max_unpool(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 0, 3, -1);
  require_rank(c, 1, int(c.shape(0).size()), int(c.shape(0).size()));
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    require_equal(c, c.shape(0)[d], c.shape(1)[d], "dimensions of values and positions");
  }
  Shape to = unpooled_shape(c);
  require_size(c, to, c.dtype(0));
  for (int d : {0, 1}) require_equal(c, to[d], c.shape(0)[d], "batch and channels of input and output");
  c.set_output(0, c.dtype(0), to);
}

// Finds where in the result each element of x goes; a greater output shape adds zeros at the ends. A position that the
// pooled shape does not have ends the run.
ir::BufferId emit_targets(LowerContext& c) {
  const Shape &x = c.shape(0), pooled = shape_by_attributes(c), &to = c.output(0).shape;
  const ir::BufferId positions = emit_checked_positions(c, x, ir::product(pooled), "a position",
                                                        [&](const At& at) { return load_input(c, 1, at); });
  if (std::equal(to.begin(), to.end(), pooled.begin(), ir::prove_equal)) return positions;
  const ir::BufferId targets = c.temporary(DType::i64, x);
  c.emit_pointwise(
      targets,
      [&](const At& at) {
        Scalar rest = load(c, positions, at), target = number(c, DType::i64, 0);
        IndexExpr distance = 1;
        for (size_t d = to.size(); d-- > 0;) {
          const Scalar extent = index_value(c, pooled[d]);
          const Scalar own = d == 0 ? rest : rest - rest / extent * extent;
          target = target + own * index_value(c, distance);
          rest = rest / extent, distance = distance * to[d];
        }
        return target;
      },
      "targets");
  return targets;
}

// If several elements have the same position, the last one wins, as in ScatterElements.
void emit_scatter_loops(LowerContext& c, ir::BufferId targets, const std::vector<Scalar>& conditions) {
  const Shape& x = c.shape(0);
  const DType type = ir::value_type(c.dtype(0));
  const ir::BufferId winner = c.temporary(DType::i64, c.output(0).shape);
  emit_reduction(c, {"winner", winner, x, ir::ReduceOp::max,
                     [&](const At& at, const At& from) {
                       const Scalar here = index_value(c, linear_index(c.output(0).shape, at));
                       return select(load(c, targets, from) == here, index_value(c, linear_index(x, from)),
                                     number(c, DType::i64, -1));
                     },
                     nullptr});
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar found = load(c, winner, at);
    std::vector<Gathered> from;
    Scalar rest = max(found, 0.0);
    for (size_t d = x.size(); d-- > 0;) {
      const Scalar extent = index_value(c, x[d]);
      from.push_back({int(d), d == 0 ? rest : rest - rest / extent * extent});
      rest = rest / extent;
    }
    const Scalar value = load_gathered(c, c.input_buffer(0), At(x.size()), from);
    return checked(c, select(found >= 0.0, value, number(c, type, 0)), conditions);
  });
}

void emit_unpool_call(LowerContext& c, ir::BufferId targets, const std::vector<Scalar>& conditions) {
  const Shape& to = c.output(0).shape;
  const DType type = ir::value_type(c.dtype(0));
  const ir::BufferId zeros = c.temporary(c.dtype(0), to);
  c.emit_pointwise(
      zeros, [&](const At&) { return checked(c, number(c, type, 0), conditions); }, "zeros");
  const rt::ScatterElementsCall<IndexExpr> call{
      c.dtype(0), rt::Combine::replace, 0, {ir::product(to)}, {ir::product(c.shape(0))}};
  c.emit(library_call(rt::kScatterElements, call, {zeros, targets, c.input_buffer(0)}, {c.output_buffer(0)}));
}

void lower_max_unpool(LowerContext& c) {
  const std::vector<Scalar> conditions = agrees_with_output_shape(c);
  const DType type = ir::value_type(c.dtype(0));
  if (is_zero_sized(c.shape(0)))
    return c.emit_pointwise(c.output_buffer(0), [&](const At&) { return checked(c, number(c, type, 0), conditions); });
  const ir::BufferId targets = emit_targets(c);
  c.uses_library() ? emit_unpool_call(c, targets, conditions) : emit_scatter_loops(c, targets, conditions);
}

}  // namespace

std::vector<Op> max_unpool_ops() {
  return {
      {.name = "MaxUnpool",
       .versions = {{9, "kernel_shape:ints pads:ints strides:ints"}, 11, 22},
       .inputs = {2, 3},
       .infer = infer_max_unpool,
       .lower = lower_max_unpool,
       .resolve = resolve_max_unpool},
  };
}

}  // namespace cppgen::ops
