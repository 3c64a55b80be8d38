#include <algorithm>
#include <numeric>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

std::vector<int> permutation(InferContext& c) {
  int rank = int(c.shape(0).size());
  std::vector<int64_t> reversed(rank);
  for (int d = 0; d < rank; ++d) reversed[d] = rank - 1 - d;
  std::vector<int64_t> perm = c.integers("perm", reversed);
  if (int(perm.size()) != rank) c.fail(fmt::format("perm has {} entries for {} dimensions", perm.size(), rank));
  normalized_axes(c, perm, rank);
  std::vector<int> out;
  for (int64_t p : perm) out.push_back(normalized_axis(c, p, rank));
  return out;
}

void infer_transpose(InferContext& c) {
  Shape to;
  for (int p : permutation(c)) to.push_back(c.shape(0)[p]);
  c.set_output(0, c.dtype(0), to);
}

void lower_transpose(LowerContext& c) {
  std::vector<int> perm = permutation(c);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    std::vector<IndexExpr> from(at.size());
    for (size_t d = 0; d < at.size(); ++d) from[perm[d]] = at[d];
    return load_input(c, 0, from);
  });
}

int concat_axis(InferContext& c) {
  int64_t axis = c.opset() < 4 ? c.integer("axis", 1) : c.integer("axis");
  return normalized_axis(c, axis, int(c.shape(0).size()));
}

void infer_concat(InferContext& c) {
  int axis = concat_axis(c);
  Shape to = c.shape(0);
  for (int i = 1; i < c.input_count(); ++i) {
    require_same_dtype(c, 0, i);
    require_rank(c, i, int(to.size()), int(to.size()));
    for (int d = 0; d < int(to.size()); ++d) {
      to[d] = d == axis ? to[d] + c.shape(i)[d] : require_equal(c, to[d], c.shape(i)[d], "dimensions of the inputs");
    }
  }
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// One nest for each input, into its slice of the output.
void lower_concat(LowerContext& c) {
  int axis = concat_axis(c);
  IndexExpr offset;
  for (int i = 0; i < c.input_count(); ++i) {
    ir::LoopNest nest;
    nest.loops = c.loops(c.shape(i));
    std::vector<IndexExpr> from = LowerContext::indices(nest.loops), to = from;
    to[axis] = to[axis] + offset;
    nest.stores.push_back({c.output_buffer(0), to, load_input(c, i, from), {}});
    offset = offset + c.shape(i)[axis];
    c.emit(std::move(nest));
  }
}

int split_axis(InferContext& c) { return normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size())); }

// Sizes that only a run knows, as the model declares them.
std::vector<IndexExpr> declared_sizes(InferContext& c) {
  std::vector<IndexExpr> sizes;
  IndexExpr sum;
  for (int i = 0; i < c.output_count(); ++i) {
    std::optional<Shape> shape = declared_shape(c, i);
    if (!shape || shape->size() != c.shape(0).size())
      c.fail("input 1 (the sizes) must be constant, or the outputs' shapes declared");
    sizes.push_back((*shape)[split_axis(c)]);
    sum = sum + sizes.back();
  }
  require_equal(c, sum, c.shape(0)[split_axis(c)], "the sum of the sizes and the dimension");
  if (element_count(c, 1) != c.output_count()) c.fail(fmt::format("there are not {} sizes", c.output_count()));
  return sizes;
}

bool has_run_time_sizes(InferContext& c) { return c.opset() >= 13 && is_run_time(c, 1); }

// Extents of the outputs along the axis.
std::vector<IndexExpr> split_sizes(InferContext& c) {
  if (has_run_time_sizes(c)) return declared_sizes(c);
  IndexExpr extent = c.shape(0)[split_axis(c)];
  int count = c.output_count();
  if (c.has("split") || (c.has_input(1) && c.opset() >= 13)) {
    std::vector<int64_t> sizes = c.has("split") ? c.integers("split") : c.constant_ints(1);
    if (int(sizes.size()) != count) c.fail(fmt::format("{} sizes for {} outputs", sizes.size(), count));
    IndexExpr sum;
    for (int64_t s : sizes) {
      if (s < 0) c.fail(fmt::format("size {} is negative", s));
      sum = sum + s;
    }
    require_equal(c, sum, extent, "the sum of the sizes and the dimension");
    return {sizes.begin(), sizes.end()};
  }
  int64_t pieces = c.integer("num_outputs", count);
  if (pieces != count) c.fail(fmt::format("num_outputs is {} for {} outputs", pieces, count));
  IndexExpr piece = ceildiv(extent, count);
  std::vector<IndexExpr> sizes(count, piece);
  sizes.back() = extent - piece * IndexExpr(int64_t(count - 1));
  if (c.opset() < 18) require_equal(c, sizes.back(), piece, "equal parts of the dimension");
  if (sizes.back().is_constant() && sizes.back().constant() < 0) c.fail(fmt::format("{} parts are too many", count));
  return sizes;
}

void infer_split(InferContext& c) {
  if (c.output_count() == 0) c.fail("there is no output");
  Shape to = c.shape(0);
  std::vector<IndexExpr> sizes = split_sizes(c);
  for (int i = 0; i < c.output_count(); ++i) {
    to[split_axis(c)] = sizes[i];
    c.set_output(i, c.dtype(0), to);
  }
}

void lower_split(LowerContext& c) {
  int axis = split_axis(c);
  std::vector<IndexExpr> sizes = split_sizes(c);
  IndexExpr offset;
  for (int i = 0; i < c.output_count(); offset = offset + sizes[i++]) {
    if (!c.has_output(i)) continue;
    c.emit_pointwise(c.output_buffer(i), [&](auto at) {
      at[axis] = at[axis] + offset;
      if (!has_run_time_sizes(c)) return load_input(c, 0, at);
      return checked(c, load_input(c, 0, at), {integer_element(c, 1, i) == index_value(c, sizes[i])});
    });
  }
}

void infer_expand(InferContext& c) {
  require_dtype(c, 1, bit(DType::i64));
  require_rank(c, 1, 1, 1);
  const std::vector<IndexExpr>* dims = c.contents(1);
  Shape to = broadcast(c, c.shape(0), dims ? *dims : require_declared(c, 1, "the shape"));
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

// What a run's shape must be to broadcast to the declared one.
std::vector<Scalar> agrees_with_expansion(LowerContext& c) {
  const Shape &from = c.shape(0), &to = c.output(0).shape;
  int64_t rank = int64_t(to.size()), given = element_count(c, 1), skipped = rank - given;
  if (skipped < 0) c.fail(fmt::format("the shape has {} dimensions, the output {}", given, rank));
  std::vector<Scalar> conditions;
  for (int64_t d = skipped; d < rank; ++d) {
    Scalar asked = integer_element(c, 1, d - skipped);
    Scalar agrees = asked == index_value(c, to[size_t(d)]);
    int64_t own = d - (rank - int64_t(from.size()));
    if (own >= 0 && ir::prove_equal(from[size_t(own)], to[size_t(d)])) agrees = agrees || asked == 1.0;
    conditions.push_back(agrees);
  }
  return conditions;
}

void lower_expand(LowerContext& c) {
  if (!is_run_time(c, 1))
    return c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return c.load_broadcast(0, at); });
  std::vector<Scalar> conditions = agrees_with_expansion(c);
  const Shape& from = c.shape(0);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    std::vector<IndexExpr> own(at.end() - int64_t(from.size()), at.end());
    for (size_t d = 0; d < from.size(); ++d)
      if (from[d].is_constant(1)) own[d] = 0;
    return checked(c, load_input(c, 0, own), conditions);
  });
}

// Declared dimensions that are multiples of the input's.
void infer_declared_tile(InferContext& c) {
  const Shape& from = c.shape(0);
  Shape to = require_declared(c, 1, "the repeats");
  require_rank(c, 0, int(to.size()), int(to.size()));
  for (size_t d = 0; d < to.size(); ++d)
    require_equal(c, mod(to[d], from[d]), 0, "the remainder of a declared dimension by the input's and 0");
  if (from.empty() || is_zero_sized(from)) c.fail("input 1 (the repeats) must be constant for an empty input");
  c.set_output(0, c.dtype(0), to);
}

void infer_tile(InferContext& c) {
  Shape to = c.shape(0);
  if (c.opset() < 6) {  // one axis, repeated
    int axis = normalized_axis(c, c.constant_ints(2).at(0), int(to.size()));
    to[axis] = to[axis] * IndexExpr(c.constant_ints(1).at(0));
  } else {
    const std::vector<IndexExpr>* repeats = c.contents(1);
    if (!repeats) return infer_declared_tile(c);
    if (repeats->size() != to.size()) c.fail(fmt::format("{} repeats for {} dimensions", repeats->size(), to.size()));
    for (size_t d = 0; d < to.size(); ++d) to[d] = to[d] * (*repeats)[d];
  }
  require_size(c, to, c.dtype(0));
  c.set_output(0, c.dtype(0), to);
}

void lower_tile(LowerContext& c) {
  const Shape& from = c.shape(0);
  std::vector<Scalar> conditions;
  for (size_t d = 0; c.opset() >= 6 && is_run_time(c, 1) && d < from.size(); ++d)
    conditions.push_back(integer_element(c, 1, int64_t(d)) * index_value(c, from[d]) ==
                         index_value(c, c.output(0).shape[d]));
  c.emit_pointwise(c.output_buffer(0), [&](auto at) {
    for (size_t d = 0; d < at.size(); ++d) {
      if (from[d].is_constant(1))
        at[d] = 0;
      else if (!ir::prove_equal(from[d], c.output(0).shape[d]) && !from[d].is_constant(0))
        at[d] = mod(at[d], from[d]);
    }
    return checked(c, load_input(c, 0, at), conditions);
  });
}

int64_t block_size(InferContext& c) {
  require_rank(c, 0, 4, 4);
  int64_t b = c.integer("blocksize");
  if (b < 1 || b > (1 << 15)) c.fail(fmt::format("blocksize {} is not in [1, 32768]", b));
  return b;
}

void require_multiple(InferContext& c, IndexExpr value, int64_t divisor) {
  require_equal(c, mod(value, divisor), 0, "the remainder of a dimension by the block size and 0");
}

bool is_column_row_depth(InferContext& c) {
  std::string mode = c.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") c.fail(fmt::format("attribute 'mode' is '{}'; allowed are DCR, CRD", mode));
  return mode == "CRD";
}

void infer_depth_to_space(InferContext& c) {
  int64_t b = block_size(c);
  const Shape& x = c.shape(0);
  is_column_row_depth(c);
  require_multiple(c, x[1], b * b);
  c.set_output(0, c.dtype(0), {x[0], floordiv(x[1], b * b), x[2] * IndexExpr(b), x[3] * IndexExpr(b)});
}

void lower_depth_to_space(LowerContext& c) {
  IndexExpr b = block_size(c);
  bool crd = is_column_row_depth(c);
  IndexExpr depth = c.output(0).shape[1];
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    IndexExpr block = mod(at[2], b) * b + mod(at[3], b);
    IndexExpr channel = crd ? at[1] * b * b + block : block * depth + at[1];
    return load_input(c, 0, {at[0], channel, floordiv(at[2], b), floordiv(at[3], b)});
  });
}

void infer_space_to_depth(InferContext& c) {
  int64_t b = block_size(c);
  const Shape& x = c.shape(0);
  require_multiple(c, x[2], b);
  require_multiple(c, x[3], b);
  c.set_output(0, c.dtype(0), {x[0], x[1] * IndexExpr(b * b), floordiv(x[2], b), floordiv(x[3], b)});
}

void lower_space_to_depth(LowerContext& c) {
  IndexExpr b = block_size(c);
  IndexExpr depth = c.shape(0)[1];
  if (depth.is_constant(0)) depth = 1;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    IndexExpr block = floordiv(at[1], depth);
    return load_input(c, 0, {at[0], mod(at[1], depth), at[2] * b + floordiv(block, b), at[3] * b + mod(block, b)});
  });
}

}  // namespace

void add_move_ops(std::vector<Op>& t) {
  add_versions(t, "Transpose", {1, 13, 21}, {1, 1, 1}, infer_transpose, lower_transpose);
  add_versions(t, "Concat", {1, 4, 11, 13}, {1, -1, 1}, infer_concat, lower_concat);
  add_versions(t, "Split", {1, 2, 11, 13, 18}, {1, 2, -1}, infer_split, lower_split);
  add_versions(t, "Expand", {8, 13}, {2, 2, 1}, infer_expand, lower_expand);
  add_versions(t, "Tile", {1, 6, 13}, {2, 3, 1}, infer_tile, lower_tile);
  add_versions(t, "DepthToSpace", {1, 11, 13}, {1, 1, 1}, infer_depth_to_space, lower_depth_to_space);
  add_versions(t, "SpaceToDepth", {1, 13}, {1, 1, 1}, infer_space_to_depth, lower_space_to_depth);
}

}  // namespace cppgen::ops
