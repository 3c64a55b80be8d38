// The operators that replace the Loop that exporters write for an embedding bag (passes/recognize_embedding_bags.h).
// BagPositions: the positions in the list of indices of the members of each bag. ReduceBags: the sum, mean or maximum
// of the rows of a table that a bag's indices name, each times its own factor.
#include "cppgen/ops/choice.h"
#include "cppgen/ops/declared.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

// --- BagPositions: indices, starts, ends. [bags, members] positions, -1 after the last of a bag.

void infer_bag_positions(InferContext& c) {
  for (int i : {0, 1, 2}) {
    require_rank(c, i, 1, 1);
    require_dtype(c, i, bit(DType::i64) | bit(DType::i32));
  }
  c.set_output(0, DType::i64, c.resolved_dimensions(0, {c.shape(2)[0], std::nullopt}));
}

// A bound of a bag, as Slice takes it.
Scalar bound(LowerContext& c, int input, IndexExpr bag) {
  const Scalar given = load_input(c, input, {bag}).cast(DType::i64), extent = index_value(c, c.shape(0)[0]);
  return max(min(select(given < 0.0, given + extent, given), extent), 0.0);
}

Scalar members(LowerContext& c, IndexExpr bag) { return max(bound(c, 2, bag) - bound(c, 1, bag), 0.0); }

void lower_positions(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    const Scalar member = index_value(c, at[1]);
    return select(member < members(c, at[0]), bound(c, 1, at[0]) + member, number(c, DType::i64, -1));
  });
}

// The number of columns is the size of the largest bag.
void resolve_positions(LowerContext& c, ir::BufferId dims) {
  ir::LoopNest nest;
  nest.name = "largest";
  nest.reduced = c.loops({c.shape(2)[0]}, "b");
  nest.reductions.push_back({ReduceOp::max, DType::i64, members(c, nest.reduced[0].var)});
  const Scalar most = max(scalar(c, c.exprs().accumulator(0, DType::i64)), 0.0);
  nest.stores.push_back({dims, {IndexExpr(int64_t(0))}, index_value(c, c.shape(2)[0])});
  nest.stores.push_back({dims, {IndexExpr(int64_t(1))}, most});
  c.emit(std::move(nest));
}

// --- ReduceBags: table, indices, positions, factors. Attribute mode: sum, mean or max.

enum class BagMode : uint8_t { sum, mean, max };

BagMode bag_mode(InferContext& c) {
  return choice<BagMode>(c, "mode", "sum", {{"sum", BagMode::sum}, {"mean", BagMode::mean}, {"max", BagMode::max}});
}

void infer_reduce_bags(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 1, -1);
  require_rank(c, 1, 1, 1);
  require_dtype(c, 1, bit(DType::i64) | bit(DType::i32));
  require_rank(c, 2, 2, 2);
  require_dtype(c, 2, bit(DType::i64));
  if (c.has_input(3)) {
    require_rank(c, 3, 1, 1);
    require_same_dtype(c, 0, 3);
  }
  bag_mode(c);
  Shape to = c.shape(0);
  to[0] = c.shape(2)[0];
  c.set_output(0, c.dtype(0), to);
}

void lower_reduce_bags(LowerContext& c) {
  const BagMode mode = bag_mode(c);
  const DType type = ir::value_type(c.dtype(0));
  const ReduceOp op = mode == BagMode::max ? ReduceOp::max : ReduceOp::sum;
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({c.shape(2)[1]}, "m");
  const At at = LowerContext::indices(nest.loops);
  const Scalar position = load_input(c, 2, {at[0], nest.reduced[0].var}), none = number(c, DType::i64, 0);
  const Scalar is_member = position >= 0.0, place = select(is_member, position, none);
  const Scalar index = load_gathered(c, c.input_buffer(1), {IndexExpr()}, {{0, place}}).cast(DType::i64);
  Scalar value = load_gathered(c, c.input_buffer(0), at, {{0, select(is_member, index, none)}});
  if (c.has_input(3)) value = value * load_gathered(c, c.input_buffer(3), {IndexExpr()}, {{0, place}});
  value = select(is_member, value, op == ReduceOp::max ? lowest(c, type) : number(c, type, 0));
  nest.reductions.push_back({op, type, value});
  Scalar result = scalar(c, c.exprs().accumulator(0, type));
  if (mode == BagMode::mean) {
    nest.reductions.push_back({ReduceOp::sum, type, select(is_member, number(c, type, 1), number(c, type, 0))});
    result = result / max(scalar(c, c.exprs().accumulator(1, type)), 1.0);  // of nothing: 0, as ReduceMean
  }
  nest.stores.push_back({c.output_buffer(0), at, result});
  c.emit(std::move(nest));
}

}  // namespace

std::vector<Op> embedding_bag_ops() {
  return {
      {.name = "BagPositions",
       .domain = "cppgen",
       .versions = {1},
       .inputs = 3,
       .infer = infer_bag_positions,
       .lower = lower_positions,
       .resolve = resolve_positions},
      {.name = "ReduceBags",
       .domain = "cppgen",
       .versions = {{1, "mode:string"}},
       .inputs = {3, 4},
       .infer = infer_reduce_bags,
       .lower = lower_reduce_bags},
  };
}

}  // namespace cppgen::ops
