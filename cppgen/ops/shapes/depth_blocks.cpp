// DepthToSpace and SpaceToDepth.
#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

int64_t block_size(InferContext& c) {
  require_rank(c, 0, 4, 4);
  int64_t b = c.integer("blocksize");
  if (b < 1 || b > (1 << 15)) c.fail(fmt::format("blocksize {} is not in [1, 32768]", b));
  return b;
}

void require_multiple(InferContext& c, IndexExpr value, int64_t divisor) {
  require_equal(c, mod(value, divisor), 0, "the remainder of a dimension by the block size and 0");
}

bool is_column_row_depth(InferContext& c) { return choice<bool>(c, "mode", "DCR", {{"DCR", false}, {"CRD", true}}); }

void infer_depth_to_space(InferContext& c) {
  int64_t b = block_size(c);
  const Shape& x = c.shape(0);
  is_column_row_depth(c);
  require_multiple(c, x[1], b * b);
  c.set_output(0, c.dtype(0), {x[0], floordiv(x[1], b * b), x[2] * IndexExpr(b), x[3] * IndexExpr(b)});
}

// Loops over the blocks and the positions in them, so that no index is computed by division.
void lower_depth_to_space(LowerContext& c) {
  const IndexExpr b = block_size(c), depth = c.output(0).shape[1];
  const Shape& x = c.shape(0);
  ir::LoopNest nest;
  nest.loops = c.loops({x[0], depth, x[2], b, x[3], b});
  const auto at = LowerContext::indices(nest.loops);
  const IndexExpr block = at[3] * b + at[5];
  const IndexExpr channel = is_column_row_depth(c) ? at[1] * b * b + block : block * depth + at[1];
  nest.stores.push_back({c.output_buffer(0),
                         {at[0], at[1], at[2] * b + at[3], at[4] * b + at[5]},
                         load_input(c, 0, {at[0], channel, at[2], at[4]})});
  c.emit(std::move(nest));
}

void infer_space_to_depth(InferContext& c) {
  int64_t b = block_size(c);
  is_column_row_depth(c);
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
    const bool depth_last = is_column_row_depth(c);
    const IndexExpr block = depth_last ? mod(at[1], b * b) : floordiv(at[1], depth);
    const IndexExpr channel = depth_last ? floordiv(at[1], b * b) : mod(at[1], depth);
    return load_input(c, 0, {at[0], channel, at[2] * b + floordiv(block, b), at[3] * b + mod(block, b)});
  });
}

}  // namespace

std::vector<Op> depth_block_ops() {
  return {
      {.name = "DepthToSpace",
       .versions = {{1, "blocksize:int"}, {11, "mode:string"}, 13, 28},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_depth_to_space,
       .lower = lower_depth_to_space},
      {.name = "SpaceToDepth",
       .versions = {{1, "blocksize:int"}, 13, {28, "mode:string"}},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_space_to_depth,
       .lower = lower_space_to_depth},
  };
}

}  // namespace cppgen::ops
