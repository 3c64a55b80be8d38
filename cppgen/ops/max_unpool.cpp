// MaxUnpool: values x and their positions in the whole result; everything else is 0.
#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

// What the attributes make of the pooled shape; positions count through this one.
Shape pooled_shape(InferContext& c) {
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
  Shape to = pooled_shape(c);
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

// What a run's output shape must be.
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
    const Scalar asked = integer_element(c, 2, int64_t(d));
    result.push_back(d < 2 ? valid_or_refused(c, asked, {asked == index_value(c, c.shape(0)[d])}) : asked);
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

// Each element looks for the position that is aimed at it; a greater output shape adds zeros at the ends.
void lower_max_unpool(LowerContext& c) {
  const Shape& x = c.shape(0);
  Shape pooled = pooled_shape(c);
  DType type = ir::value_type(c.dtype(0));
  emit_reduction(c, {"", c.output_buffer(0), Shape(x.begin() + 2, x.end()), ir::ReduceOp::sum,
                     [&](const At& at, const At& inner) {
                       At from = {at[0], at[1]};
                       from.insert(from.end(), inner.begin(), inner.end());
                       IndexExpr here;
                       Scalar hit = number(c, DType::boolean, 1);
                       for (size_t d = 0; d < at.size(); ++d) {
                         here = here * pooled[d] + at[d];
                         if (!ir::prove_less(at[d], pooled[d])) {
                           hit = hit && index_value(c, at[d]) < index_value(c, pooled[d]);
                         }
                       }
                       hit = hit && load_input(c, 1, from) == index_value(c, here);
                       return select(hit, load_input(c, 0, from), number(c, type, 0));
                     },
                     [&](Scalar found) { return checked(c, found, agrees_with_output_shape(c)); }});
}

}  // namespace

void add_max_unpool_ops(std::vector<Op>& t) {
  add_versions(t, "MaxUnpool", {9, 11, 22}, {2, 3, 1}, infer_max_unpool, lower_max_unpool);
  set_resolve(t, "MaxUnpool", resolve_max_unpool);
}

}  // namespace cppgen::ops
