#include "cppgen/ops/common.h"
#include "runtime/base/checked.h"

namespace cppgen::ops {
namespace {

// QuantizeBlocks: what the inputs of products of bytes become (passes/quantize_activations.cpp). Of x [.., K], each
// block of block_size numbers, the last one filled up with zeros, becomes int8 y [.., blocks * block_size] with one of
// the float32 scales [.., blocks]: scale = max |x| / 127, y = round(x * (127 / max |x|)), and 0 if all are 0. ONNX
// Runtime does so where accuracy_level is 4.
constexpr double kSteps = 127;

Shape shape_of_scales(InferContext& c) {
  const int64_t block = c.integer("block_size"), K = constant_dim(c, c.shape(0).back(), "the last dimension");
  if (block < 1) c.fail("block_size must be at least 1");
  Shape shape = c.shape(0);
  shape.back() = K / block + (K % block != 0);
  return shape;
}

void infer_quantize_blocks(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32) | bit(DType::f16) | bit(DType::bf16));
  require_rank(c, 0, 1, -1);
  const Shape scales = shape_of_scales(c);
  Shape bytes = scales;
  bytes.back() = checked_mul(scales.back().constant(), c.integer("block_size"), "the steps of all blocks");
  c.set_output(0, DType::i8, bytes);
  c.set_output(1, DType::f32, scales);
}

Scalar number_within(LowerContext& c, At block, IndexExpr within) {
  block.back() = block.back() * c.integer("block_size") + within;
  const ir::BufferId x = c.input_buffer(0);
  return load_inside(c, x, std::move(block), number(c, DType::f32, 0));
}

void emit_bytes(LowerContext& c, ir::BufferId greatest) {
  const int64_t block = c.integer("block_size");
  Shape points = shape_of_scales(c);
  points.push_back(block);
  ir::LoopNest nest;
  nest.name = "bytes";
  nest.loops = c.loops(points);
  At at = LowerContext::indices(nest.loops);
  const IndexExpr within = at.back();
  at.pop_back();
  const Scalar most = load(c, greatest, at);
  const Scalar steps = select(most == 0.0, most.number(0), kSteps / most);
  const Scalar value = round(number_within(c, at, within) * steps).cast(DType::i8);
  at.back() = at.back() * block + within;
  nest.stores.push_back({c.output_buffer(0), at, value});
  c.emit(std::move(nest));
}

void lower_quantize_blocks(LowerContext& c) {
  const ir::BufferId greatest = c.temporary(DType::f32, shape_of_scales(c));
  emit_reduction(c, {.name = "greatest",
                     .output = greatest,
                     .reduced = {c.integer("block_size")},
                     .op = ir::ReduceOp::max,
                     .value = [&](const At& at, const At& within) { return abs(number_within(c, at, within[0])); },
                     .finish = nullptr});
  const auto scale = [&](const At& at) { return load(c, greatest, at) / kSteps; };
  if (c.has_output(1)) c.emit_pointwise(c.output_buffer(1), scale, "scales");
  emit_bytes(c, greatest);
}

}  // namespace

std::vector<Op> quantize_blocks_ops() {
  return {
      {.name = "QuantizeBlocks",
       .domain = "cppgen",
       .versions = {{1, "block_size:int"}},
       .inputs = 1,
       .outputs = 2,
       .infer = infer_quantize_blocks,
       .lower = lower_quantize_blocks},
  };
}

}  // namespace cppgen::ops
