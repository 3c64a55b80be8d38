#include <algorithm>
#include <numeric>

#include "cppgen/ops/common.h"
#include "cppgen/ops/declared.h"

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
    if (is_zero_sized(c.shape(i))) continue;
    ir::LoopNest nest;
    nest.loops = c.loops(c.shape(i));
    std::vector<IndexExpr> from = LowerContext::indices(nest.loops), to = from;
    to[axis] = to[axis] + offset;
    nest.stores.push_back({c.output_buffer(0), to, load_input(c, i, from)});
    offset = offset + c.shape(i)[axis];
    c.emit(std::move(nest));
  }
}

int split_axis(InferContext& c) { return normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size())); }

// Sizes that are known only at run time: those that the model declares if it declares all, else new symbols.
std::vector<IndexExpr> run_time_sizes(InferContext& c) {
  const int axis = split_axis(c), count = c.output_count();
  if (element_count(c, 1) != count) c.fail(fmt::format("there are not {} sizes", count));
  std::vector<IndexExpr> sizes;
  IndexExpr sum;
  for (int i = 0; i < count; ++i) {
    const std::optional<Shape> shape = declared_shape(c, i);
    if (!shape || shape->size() != c.shape(0).size()) break;
    sizes.push_back((*shape)[axis]);
    sum = sum + sizes.back();
  }
  if (int(sizes.size()) == count) {
    require_equal(c, sum, c.shape(0)[axis], "the sum of the sizes and the dimension");
    return sizes;
  }
  sizes.clear();
  for (int i = 0; i < count; ++i) sizes.push_back(c.resolved_symbol(size_t(i), "part"));
  c.note_resolved(sizes);
  return sizes;
}

void resolve_split(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> sizes;
  Scalar sum = number(c, DType::i64, 0);
  for (int64_t i = 0, count = element_count(c, 1); i < count; ++i) {
    sizes.push_back(integer_element(c, 1, i));
    sum = sum + sizes.back();
  }
  for (Scalar& size : sizes) size = valid_or_refused(c, size, {sum == index_value(c, c.shape(0)[split_axis(c)])});
  emit_dims(c, dims, sizes);
}

bool has_run_time_sizes(InferContext& c) { return c.opset() >= 13 && is_run_time(c, 1); }

// Constants, or expressions of dimensions: half of N, and the rest.
std::vector<IndexExpr> stated_sizes(InferContext& c) {
  if (!c.has("split"))
    if (const auto* known = c.contents(1)) return *known;
  const std::vector<int64_t> sizes = c.has("split") ? c.integers("split") : c.constant_ints(1);
  return {sizes.begin(), sizes.end()};
}

// Extents of the outputs along the axis.
std::vector<IndexExpr> split_sizes(InferContext& c) {
  if (has_run_time_sizes(c)) return run_time_sizes(c);
  IndexExpr extent = c.shape(0)[split_axis(c)];
  int count = c.output_count();
  if (c.has("split") || (c.has_input(1) && c.opset() >= 13)) {
    const std::vector<IndexExpr> sizes = stated_sizes(c);
    if (int(sizes.size()) != count) c.fail(fmt::format("there are {} sizes for {} outputs", sizes.size(), count));
    IndexExpr sum;
    for (IndexExpr s : sizes) {
      if (s.is_constant() && s.constant() < 0) c.fail(fmt::format("size {} is negative", s.constant()));
      sum = sum + s;
    }
    require_equal(c, sum, extent, "the sum of the sizes and the dimension");
    return sizes;
  }
  int64_t pieces = c.integer("num_outputs", count);
  if (pieces != count) c.fail(fmt::format("num_outputs is {}, but there are {} outputs", pieces, count));
  IndexExpr piece = ceildiv(extent, count);
  std::vector<IndexExpr> sizes(count, piece);
  sizes.back() = extent - piece * IndexExpr(int64_t(count - 1));
  if (c.opset() < 18) require_equal(c, sizes.back(), piece, "equal parts of the dimension");
  require_at_most(c, 0, sizes.back(), fmt::format("{} parts are too many for the dimension", count));
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

}  // namespace

std::vector<Op> move_ops() {
  return {
      {.name = "Transpose",
       .versions = {{1, "perm:ints"}, 13, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_transpose,
       .lower = lower_transpose},
      {.name = "Concat",
       .versions = {{1, "axis:int"}, 4, 11, 13},
       .inputs = {1, kAny},
       .elements = Elements::any,
       .infer = infer_concat,
       .lower = lower_concat},
      {.name = "Split",
       .versions = {{1, "axis:int split:ints"}, 2, 11, {13, "-split"}, {18, "num_outputs:int"}},
       .inputs = {1, 2},
       .outputs = kAny,
       .elements = Elements::any,
       .infer = infer_split,
       .lower = lower_split,
       .resolve = resolve_split},
  };
}

}  // namespace cppgen::ops
