#include <algorithm>

#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/reindex.h"

namespace cppgen::ops {
namespace {

// The requested dimensions: 0 keeps the input's (unless allowzero), -1 is what remains.
Shape requested_shape(InferContext& c) {
  if (c.opset() < 5) {
    std::vector<int64_t> dims = c.integers("shape");
    return Shape(dims.begin(), dims.end());
  }
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 1, 1, 1);
  const std::vector<IndexExpr>* dims = c.contents(1);
  if (!dims) c.fail("input 1 (the shape) must be constant");
  return *dims;
}

void infer_reshape(InferContext& c) {
  const Shape& from = c.shape(0);
  Shape to = requested_shape(c);
  bool allow_zero = c.integer("allowzero", 0) != 0;
  int inferred = -1;
  Shape known;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d].is_constant(0) && !allow_zero) {
      if (d >= from.size())
        c.fail(fmt::format("dimension {} is 0 but the input {} has no such dimension", d, to_string(from)));
      to[d] = from[d];
    }
    if (to[d].is_constant(-1)) {
      if (inferred >= 0) c.fail("more than one dimension is -1");
      inferred = int(d);
    } else {
      known.push_back(to[d]);
    }
  }
  require_size(c, known, c.dtype(0));
  if (inferred >= 0) {
    std::optional<IndexExpr> rest = exact_quotient(from, known);
    if (!rest) c.fail(fmt::format("the input {} has no -1 to fill in {}", to_string(from), to_string(to)));
    to[inferred] = *rest;
  } else if (!ir::prove_equal(ir::product(from), ir::product(to))) {
    c.fail(fmt::format("the input {} does not have as many elements as {}", to_string(from), to_string(to)));
  }
  c.set_output(0, c.dtype(0), to);
}

void infer_flatten(InferContext& c) {
  const Shape& from = c.shape(0);
  int rank = int(from.size());
  int64_t axis = c.integer("axis", 1);
  if (axis < -rank || axis > rank) c.fail(fmt::format("axis {} is not in [{}, {}]", axis, -rank, rank));
  if (axis < 0) axis += rank;
  std::span<const IndexExpr> all(from);
  c.set_output(0, c.dtype(0), {ir::product(all.first(axis)), ir::product(all.subspan(axis))});
}

void infer_squeeze(InferContext& c) {
  const Shape& from = c.shape(0);
  std::optional<std::vector<int64_t>> given = axes_argument(c, 1);
  std::vector<int> axes = normalized_axes(c, given.value_or(std::vector<int64_t>{}), int(from.size()));
  Shape to;
  for (int d = 0; d < int(from.size()); ++d) {
    bool removed = given ? std::find(axes.begin(), axes.end(), d) != axes.end() : from[d].is_constant(1);
    if (!removed) to.push_back(from[d]);
    if (removed && !from[d].is_constant(1)) {
      c.fail(fmt::format("dimension {} of the input {} is not 1", d, to_string(from)));
    }
  }
  c.set_output(0, c.dtype(0), to);
}

void infer_unsqueeze(InferContext& c) {
  std::optional<std::vector<int64_t>> given = axes_argument(c, 1);
  if (!given) c.fail("the axes are missing");
  if (given->size() > 64) c.fail("more than 64 axes");
  Shape to = c.shape(0);
  std::vector<int> axes = normalized_axes(c, *given, int(to.size() + given->size()));
  for (int axis : axes) to.insert(to.begin() + axis, 1);
  c.set_output(0, c.dtype(0), to);
}

void lower_reshape(LowerContext& c) {
  const Shape& from = c.shape(0);
  const Shape& to = c.output(0).shape;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_input(c, 0, reshaped_index(from, to, at)); });
}

}  // namespace

void add_reshape_ops(std::vector<Op>& t) {
  add_versions(t, "Reshape", {1, 5, 13, 14, 19, 21}, {1, 2, 1}, infer_reshape, lower_reshape);
  add_versions(t, "Flatten", {1, 9, 11, 13, 21}, {1, 1, 1}, infer_flatten, lower_reshape);
  add_versions(t, "Squeeze", {1, 11, 13, 21}, {1, 2, 1}, infer_squeeze, lower_reshape);
  add_versions(t, "Unsqueeze", {1, 11, 13, 21}, {1, 2, 1}, infer_unsqueeze, lower_reshape);
}

}  // namespace cppgen::ops
