// Operators that pick elements by their values: TopK, Compress, NonZero. Their meaning is a rank or a count for each
// element and a search for the element of each rank: quadratic in the length, so that is bounded.
#include "cppgen/ops/selection.h"

#include "cppgen/ops/declared.h"
#include "cppgen/ops/families.h"
#include "cppgen/ops/reindex.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;
using ir::ReduceOp;

Scalar one_if(LowerContext& c, Scalar condition) {
  return select(condition, number(c, DType::i64, 1), number(c, DType::i64, 0));
}

}  // namespace

void require_searchable(InferContext& c, IndexExpr count) {
  int64_t n = constant_dim(c, count, "the number of elements to select from");
  if (n > kMaxSearched) c.fail(fmt::format("{} elements to select from; at most {} are supported", n, kMaxSearched));
}

TruePositions emit_true_positions(LowerContext& c, IndexExpr extent, IndexExpr count,
                                  const std::function<Scalar(IndexExpr)>& mask) {
  ir::BufferId before = c.temporary(DType::i64, {extent}), total = c.temporary(DType::i64, {});
  auto here = [&](IndexExpr i) { return one_if(c, mask(i)); };
  emit_reduction(c, {"before",
                     before,
                     {extent},
                     ReduceOp::sum,
                     [&](const At& at, const At& other) {
                       Scalar zero = number(c, DType::i64, 0);
                       return select(index_value(c, other[0]) < index_value(c, at[0]), here(other[0]), zero);
                     },
                     nullptr});
  emit_reduction(
      c, {"total", total, {extent}, ReduceOp::sum, [&](const At&, const At& i) { return here(i[0]); }, nullptr});
  ir::BufferId positions = c.temporary(DType::i64, {count});
  emit_reduction(c, {"search",
                     positions,
                     {extent},
                     ReduceOp::sum,
                     [&](const At& at, const At& i) {
                       Scalar found = mask(i[0]) && load(c, before, i) == index_value(c, at[0]);
                       return select(found, index_value(c, i[0]), number(c, DType::i64, 0));
                     },
                     nullptr});
  return {positions, load(c, total, {})};
}

namespace {

// --- TopK: x, k

int top_axis(InferContext& c) {
  require_rank(c, 0, 1, -1);
  return normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size()));
}

IndexExpr top_count(InferContext& c) {
  if (c.opset() < 10) return c.integer("k");
  if (element_count(c, 1) != 1) c.fail("k is not one integer");
  if (const auto* known = c.contents(1)) return (*known)[0];
  PartialShape partial(c.shape(0).begin(), c.shape(0).end());
  partial[size_t(top_axis(c))] = std::nullopt;
  Shape to = require_declared(c, 1, "k", partial);
  require_rank(c, 0, int(to.size()), int(to.size()));
  return to[size_t(top_axis(c))];
}

constexpr int64_t kMostRanked = 4096;  // elements of a row that kernels compare with each other

// Rows that are long, or of a length that only a run knows, are sorted by the host.
void infer_top_k_on_host(InferContext& c, int axis) {
  Shape to = c.shape(0);
  const std::vector<IndexExpr>* known = c.opset() < 10 ? nullptr : c.contents(1);
  if (c.opset() < 10) {
    to[size_t(axis)] = c.integer("k");
  } else if (known && known->size() == 1) {
    to[size_t(axis)] = (*known)[0];
  } else {
    to[size_t(axis)] = c.unknown_dimension(0, size_t(axis), "top");
  }
  c.run_on_host();
  c.set_output(0, c.dtype(0), to);
  c.set_output(1, DType::i64, to);
}

rt::HostStep host_top_k(InferContext& c) {
  const bool largest = c.opset() < 11 || c.integer("largest", 1) != 0;
  return host_call("top_k", {top_axis(c), largest, c.opset() < 10 ? c.integer("k") : -1});
}

void infer_top_k(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  const int axis = top_axis(c);
  Shape to = c.shape(0);
  if (!to[size_t(axis)].is_constant() || to[size_t(axis)].constant() > kMostRanked) return infer_top_k_on_host(c, axis);
  require_searchable(c, to[axis]);
  const IndexExpr k = top_count(c);
  const int64_t n = to[axis].constant();
  if (!is_resolved(c) && !(k.is_constant() && k.constant() >= 0 && k.constant() <= n))
    c.fail(fmt::format("k is {} for {} elements", ir::to_string(k), n));
  to[axis] = k;
  c.set_output(0, c.dtype(0), to);
  c.set_output(1, DType::i64, to);
}

void resolve_top_k(LowerContext& c, ir::BufferId dims) {
  std::vector<Scalar> result;
  for (IndexExpr d : c.shape(0)) result.push_back(index_value(c, d));
  Scalar& along = result[size_t(top_axis(c))];
  const Scalar k = integer_element(c, 1, 0);
  along = valid_or_refused(c, k, {k <= along});
  emit_dims(c, dims, result);
}

// Whether a comes before b: NaN counts as greatest, equal ones by position.
Scalar comes_before(Scalar a, Scalar b, Scalar a_position, Scalar b_position, bool largest) {
  Scalar greater = a > b, equal = a == b;
  if (is_float(a.type())) {
    greater = (greater && !is_nan(b)) || (is_nan(a) && !is_nan(b));
    equal = equal || (is_nan(a) && is_nan(b));
  }
  return (largest ? greater : !greater && !equal) || (equal && a_position < b_position);
}

// rank[at]: how many elements of the same row come before.
ir::BufferId emit_ranks(LowerContext& c, int axis) {
  const bool largest = c.opset() < 11 || c.integer("largest", 1) != 0;
  ir::BufferId ranks = c.temporary(DType::i64, c.shape(0));
  emit_reduction(c, {"ranks",
                     ranks,
                     {c.shape(0)[axis]},
                     ReduceOp::sum,
                     [&](const At& at, const At& other) {
                       At from = at;
                       from[axis] = other[0];
                       return one_if(c, comes_before(load_input(c, 0, from), load_input(c, 0, at),
                                                     index_value(c, other[0]), index_value(c, at[axis]), largest));
                     },
                     nullptr});
  return ranks;
}

void lower_top_k(LowerContext& c) {
  const int axis = top_axis(c);
  const Shape& to = c.output(0).shape;
  ir::BufferId ranks = emit_ranks(c, axis), sources = c.temporary(DType::i64, to);
  emit_reduction(c, {"search",
                     sources,
                     {c.shape(0)[axis]},
                     ReduceOp::sum,
                     [&](const At& at, const At& other) {
                       At from = at;
                       from[axis] = other[0];
                       Scalar found = load(c, ranks, from) == index_value(c, at[axis]), zero = number(c, DType::i64, 0);
                       return select(found, index_value(c, other[0]), zero);
                     },
                     nullptr});
  std::vector<Scalar> conditions;
  if (c.opset() >= 10 && is_run_time(c, 1)) conditions = {integer_element(c, 1, 0) == index_value(c, to[axis])};
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    return checked(c, load_gathered(c, c.input_buffer(0), at, {{axis, load(c, sources, at)}}), conditions);
  });
  if (c.has_output(1))
    c.emit_pointwise(
        c.output_buffer(1), [&](const At& at) { return load(c, sources, at); }, "indices");
}

// --- Compress: data, condition. NonZero: x. Both list the positions where something is true.

bool flattens(InferContext& c) { return !c.has("axis"); }
int compress_axis(InferContext& c) {
  return flattens(c) ? 0 : normalized_axis(c, c.integer("axis"), int(c.shape(0).size()));
}

void infer_compress(InferContext& c) {
  require_dtype(c, 1, kBool);
  require_rank(c, 1, 1, 1);
  const int axis = compress_axis(c);
  Shape to = flattens(c) ? Shape{ir::product(c.shape(0))} : c.shape(0);
  if (!c.contents(1) && !declared_shape(c, 0)) {
    if (flattens(c)) to = {IndexExpr(int64_t(0))};
    to[size_t(axis)] = c.unknown_dimension(0, size_t(axis), "chosen");
    c.run_on_host();
    return c.set_output(0, c.dtype(0), to);
  }
  require_searchable(c, c.shape(1)[0]);
  if (!ir::prove_less_equal(c.shape(1)[0], to[size_t(axis)])) c.fail("the condition is longer than the axis");
  if (const auto* known = c.contents(1)) {
    int64_t count = 0;
    for (IndexExpr e : *known) count += !e.is_constant(0);
    to[size_t(axis)] = count;
  } else {
    Shape declared = require_declared(c, 1, "the condition");
    if (declared.size() != to.size())
      c.fail(fmt::format("the declared shape {} has another rank", to_string(declared)));
    for (int d = 0; d < int(to.size()); ++d)
      if (d != axis) require_equal(c, declared[size_t(d)], to[size_t(d)], "a declared dimension and the input's");
    to = declared;
  }
  c.set_output(0, c.dtype(0), to);
}

void lower_compress(LowerContext& c) {
  const int axis = compress_axis(c);
  const IndexExpr count = c.output(0).shape[size_t(axis)];
  auto found = emit_true_positions(c, c.shape(1)[0], count, [&](IndexExpr i) { return load_input(c, 1, {i}); });
  ir::BufferId data = c.input_buffer(0);
  if (flattens(c)) {
    const Shape flat{ir::product(c.shape(0))};
    data = c.temporary(c.dtype(0), flat);
    c.emit_pointwise(
        data, [&](const At& at) { return load_input(c, 0, reshaped_index(c.shape(0), flat, at)); }, "flat");
  }
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar value = load_gathered(c, data, at, {{axis, load(c, found.positions, {at[size_t(axis)]})}});
    return checked(c, value, {found.total == index_value(c, count)});
  });
}

rt::HostStep host_compress(InferContext& c) { return host_call("compress", {!flattens(c), compress_axis(c)}); }

rt::HostStep host_non_zero(InferContext&) { return host_call("non_zero"); }

void infer_non_zero(InferContext& c) {
  if (!declared_shape(c, 0)) {
    c.run_on_host();
    const auto rank = int64_t(std::max<size_t>(c.shape(0).size(), 1));
    return c.set_output(0, DType::i64, {rank, c.unknown_dimension(0, 1, "found")});
  }
  require_searchable(c, ir::product(c.shape(0)));
  Shape to = require_declared(c, 0, "the tensor");
  if (to.size() != 2) c.fail("the declared output does not have two dimensions");
  require_equal(c, to[0], int64_t(std::max<size_t>(c.shape(0).size(), 1)), "the first declared dimension and the rank");
  c.set_output(0, DType::i64, to);
}

// Positions in the flat tensor, taken apart into indices.
void lower_non_zero(LowerContext& c) {
  const Shape& x = c.shape(0);
  const Shape flat{ir::product(x)};
  const IndexExpr count = c.output(0).shape[1];
  auto found = emit_true_positions(c, flat[0], count, [&](IndexExpr i) {
    Scalar element = load_input(c, 0, reshaped_index(x, flat, {i}));
    return element.type() == DType::boolean ? element : element != 0.0;
  });
  IndexExpr stride = 1;
  for (int64_t d = int64_t(std::max<size_t>(x.size(), 1)) - 1; d >= 0; --d) {
    ir::LoopNest nest;
    nest.name = "indices";
    nest.loops = c.loops({count});
    const IndexExpr k = nest.loops[0].var;
    const IndexExpr extent = x.empty() ? IndexExpr(int64_t(1)) : x[size_t(d)];
    Scalar index = (load(c, found.positions, {k}) / index_value(c, stride))
                       .binary(ir::BinaryOp::mod_floor, index_value(c, extent));
    nest.stores.push_back({c.output_buffer(0), {d, k}, checked(c, index, {found.total == index_value(c, count)}), {}});
    c.emit(std::move(nest));
    stride = stride * extent;
  }
}

}  // namespace

void add_selection_ops(std::vector<Op>& t) {
  add_versions(t, "TopK", {1, 10, 11, 24}, {1, 2, 2}, infer_top_k, lower_top_k);
  add_versions(t, "Compress", {9, 11}, {2, 2, 1}, infer_compress, lower_compress);
  add_versions(t, "NonZero", {9, 13}, {1, 1, 1}, infer_non_zero, lower_non_zero);
  set_resolve(t, "TopK", resolve_top_k);
  for (Op& op : t) {
    if (op.name == "Compress") op.host = host_compress;
    if (op.name == "NonZero") op.host = host_non_zero;
    if (op.name == "TopK") op.host = host_top_k;
  }
}

}  // namespace cppgen::ops
