// Operators that pick elements by their values: Compress, NonZero. Their meaning is a rank or a count for each
// element and a search for the element of each rank: quadratic in the length, so that is bounded where the library or
// the host do not do the same faster.
#include "cppgen/ops/selection/selection.h"

#include "cppgen/ops/declared.h"
#include "cppgen/ops/shapes/reindex.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

constexpr int64_t kMaxCompared = 1024;

}  // namespace

bool is_searchable(IndexExpr count) { return count.is_constant() && count.constant() <= kMaxCompared; }

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
  if (!c.contents(1) && (!declared_shape(c, 0) || !is_searchable(c.shape(1)[0]))) {
    if (flattens(c)) to = {IndexExpr(int64_t(0))};
    to[size_t(axis)] = c.unknown_dimension(0, size_t(axis), "chosen");
    c.run_on_host();
    return c.set_output(0, c.dtype(0), to);
  }
  require_at_most(c, c.shape(1)[0], to[size_t(axis)], "the condition is longer than the axis");
  if (const auto* known = c.contents(1)) {
    int64_t count = 0;
    for (IndexExpr e : *known) count += !e.is_constant(0);
    to[size_t(axis)] = count;
  } else {
    Shape declared = require_declared(c, 1, "the condition");
    if (declared.size() != to.size())
      c.fail(fmt::format("the declared shape {} has a different rank", to_string(declared)));
    for (int d = 0; d < int(to.size()); ++d)
      if (d != axis) require_equal(c, declared[size_t(d)], to[size_t(d)], "a declared dimension and the input's");
    to = declared;
  }
  c.set_output(0, c.dtype(0), to);
}

// A condition that is known is a list of positions.
TruePositions chosen_positions(LowerContext& c, IndexExpr count) {
  const auto* known = c.contents(1);
  if (!known) return emit_true_positions(c, c.shape(1)[0], count, [&](IndexExpr i) { return load_input(c, 1, {i}); });
  std::vector<int64_t> positions;
  for (size_t i = 0; i < known->size(); ++i)
    if (!(*known)[i].is_constant(0)) positions.push_back(int64_t(i));
  return {c.constant_buffer(tensor_of(positions, {int64_t(positions.size())})), index_value(c, count)};
}

void lower_compress(LowerContext& c) {
  const int axis = compress_axis(c);
  const IndexExpr count = c.output(0).shape[size_t(axis)];
  const TruePositions found = chosen_positions(c, count);
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

rt::HostStep host_compress(InferContext& c) {
  return host_call("compress", rt::CompressCall{!flattens(c), compress_axis(c)});
}

rt::HostStep host_non_zero(InferContext&) { return host_call("non_zero"); }

void infer_non_zero(InferContext& c) {
  if (!declared_shape(c, 0) || !is_searchable(ir::product(c.shape(0)))) {
    c.run_on_host();
    const auto rank = int64_t(std::max<size_t>(c.shape(0).size(), 1));
    return c.set_output(0, DType::i64, {rank, c.unknown_dimension(0, 1, "found")});
  }
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
    nest.stores.push_back({c.output_buffer(0), {d, k}, checked(c, index, {found.total == index_value(c, count)})});
    c.emit(std::move(nest));
    stride = stride * extent;
  }
}

}  // namespace

std::vector<Op> selection_ops() {
  return {
      {.name = "Compress",
       .versions = {{9, "axis:int"}, 11},
       .inputs = 2,
       .elements = Elements::any,
       .infer = infer_compress,
       .lower = lower_compress,
       .host = host_compress},
      {.name = "NonZero",
       .versions = {9, 13},
       .inputs = 1,
       .infer = infer_non_zero,
       .lower = lower_non_zero,
       .host = host_non_zero},
  };
}

}  // namespace cppgen::ops
