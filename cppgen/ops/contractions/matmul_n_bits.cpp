#include "cppgen/ir/program/n_bits.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

// MatMulNBits: a [.., K] times the transposed weights b [N, blocks, bytes of a block] of ir/program/n_bits.h. Zero
// points that are numbers are of a's type.
enum NBitInput { kLeft, kPacked, kBlockScales, kBlockZeros, kGroups, kColumnBias };
// QuantizedMatMulNBits: the same, where a is what QuantizeBlocks made of it. The scales of the weights have the type of
// the result.
enum ByteInput { kLeftBytes, kLeftScales, kByteWeights, kByteWeightScales, kByteWeightZeros, kByteBias };

constexpr DTypes kProductTypes = bit(DType::f32) | bit(DType::f16) | bit(DType::bf16);

ir::NBitWeights packing_of(InferContext& c) {
  ir::NBitWeights p;
  p.k = c.integer("K"), p.columns = c.integer("N"), p.bits = c.integer("bits", 4), p.block = c.integer("block_size");
  if (p.k < 1 || p.columns < 1) c.fail(fmt::format("K is {} and N is {}; both must be at least 1", p.k, p.columns));
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    c.fail(fmt::format("{} bits are not supported; 2, 4 and 8 are", p.bits));
  if (p.block < 16 || (p.block & (p.block - 1)) != 0)
    c.fail(fmt::format("attribute 'block_size' is {}; it must be a power of 2 and at least 16", p.block));
  constexpr int64_t kMost = int64_t{1} << 28;  // so that no product of two of them overflows
  if (p.k > kMost || p.columns > kMost || p.block > kMost) c.fail("the weights are too large");
  return p;
}

// [N, inner] or the same flat.
void require_rows(InferContext& c, int input, int64_t n, int64_t inner) {
  const Shape& s = c.shape(input);
  bool flat = s.size() == 1 && s[0].is_constant(n * inner);
  bool rows = s.size() == 2 && s[0].is_constant(n) && s[1].is_constant(inner);
  if (!flat && !rows)
    c.fail(fmt::format("input {} has the shape {} but must have [{}, {}]", input, to_string(s), n, inner));
}

// Checks weights whose scales and zeros are the next inputs, and a bias of the columns; sets the result's type. The
// scales have the type that a had in the model.
void infer_product(InferContext& c, const ir::NBitWeights& p, int weights, int bias) {
  const int scales = weights + 1, zeros = weights + 2;
  require_dtype(c, weights, bit(DType::u8));
  require_rank(c, weights, 3, 3);
  const int64_t wanted[] = {p.columns, p.blocks(), p.block_bytes()};
  for (int d = 0; d < 3; ++d) require_equal(c, c.shape(weights)[size_t(d)], wanted[d], "dimensions of B");
  require_dtype(c, scales, kProductTypes);
  require_rows(c, scales, p.columns, p.blocks());
  if (c.has_input(zeros)) {
    const bool packed = c.dtype(zeros) == DType::u8;
    if (!packed) require_same_dtype(c, scales, zeros);
    require_rows(c, zeros, p.columns, packed ? p.zero_bytes() : p.blocks());
  }
  if (c.has_input(bias)) {
    require_same_dtype(c, scales, bias);
    require_rank(c, bias, 1, 1);
    require_equal(c, c.shape(bias)[0], p.columns, "biases and N");
  }
  Shape out = c.shape(kLeft);
  out.back() = p.columns;
  c.set_output(0, c.dtype(scales), out);
}

void infer_matmul_n_bits(InferContext& c) {
  const ir::NBitWeights p = packing_of(c);
  require_dtype(c, kLeft, kProductTypes);
  require_rank(c, kLeft, 1, -1);
  require_equal(c, c.shape(kLeft).back(), p.k, "the last dimension of A and K");
  require_same_dtype(c, kLeft, kBlockScales);
  // One of constants, with as many rows for each block as it has, is gone by now (passes/expand_composites.h).
  if (c.has_input(kGroups))
    c.fail("g_idx and the weights must be constant, and g_idx must assign block_size rows to each block");
  infer_product(c, p, kPacked, kColumnBias);
}

void infer_quantized_matmul_n_bits(InferContext& c) {
  const ir::NBitWeights p = packing_of(c);
  require_dtype(c, kLeftBytes, bit(DType::i8));
  require_rank(c, kLeftBytes, 1, -1);
  require_equal(c, c.shape(kLeftBytes).back(), p.blocks() * p.block, "bytes and the steps of all blocks");
  require_dtype(c, kLeftScales, bit(DType::f32));
  const Shape &bytes = c.shape(kLeftBytes), &of_blocks = c.shape(kLeftScales);
  require_rank(c, kLeftScales, int(bytes.size()), int(bytes.size()));
  for (size_t d = 0; d + 1 < bytes.size(); d++) require_equal(c, bytes[d], of_blocks[d], "rows of bytes and of scales");
  require_equal(c, c.shape(kLeftScales).back(), p.blocks(), "scales and blocks");
  infer_product(c, p, kByteWeights, kByteBias);
}

ir::NBitWeights packed_weights(LowerContext& c, int values) {
  ir::NBitWeights w = packing_of(c);
  w.values = c.input_buffer(values), w.scales = c.input_buffer(values + 1);
  if (c.has_input(values + 2)) w.zeros = c.input_buffer(values + 2);
  return w;
}

// `left`: the number at these indices.
using LeftNumber = std::function<Scalar(const At&)>;

void emit_product(LowerContext& c, const ir::NBitWeights& w, const LeftNumber& left_number, ir::BufferId out) {
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({w.k}, "k");
  nest.roles.assign(nest.loops.size() - 1, ir::AxisRole::rows);
  nest.roles.insert(nest.roles.end(), {ir::AxisRole::columns, ir::AxisRole::k});
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  At left = at;
  left.back() = k;
  Scalar weight = scalar(c, ir::weight_at(c.program(), w, at.back(), k));
  nest.reductions.push_back({ir::ReduceOp::sum, DType::f32, left_number(left) * weight});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, DType::f32)});
  c.emit(std::move(nest));
}

void emit_biased_product(LowerContext& c, const ir::NBitWeights& w, const LeftNumber& left, int bias) {
  const bool biased = c.has_input(bias);
  ir::BufferId sum = biased ? c.temporary(DType::f32, c.output(0).shape) : c.output_buffer(0);
  emit_product(c, w, left, sum);
  if (!biased) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return load(c, sum, at) + load_input(c, bias, {at.back()}); }, "bias");
}

void lower_matmul_n_bits(LowerContext& c) {
  emit_biased_product(
      c, packed_weights(c, kPacked), [&](const At& at) { return load_input(c, kLeft, at); }, kColumnBias);
}

void lower_quantized_matmul_n_bits(LowerContext& c) {
  const ir::NBitWeights w = packed_weights(c, kByteWeights);
  const auto number_at = [&](const At& at) {
    At block = at;
    block.back() = floordiv(at.back(), w.block);
    return load_input(c, kLeftBytes, at).cast(DType::f32) * load_input(c, kLeftScales, block);
  };
  emit_biased_product(c, w, number_at, kByteBias);
}

}  // namespace

std::vector<Op> matmul_n_bits_ops() {
  return {
      {.name = "MatMulNBits",
       .domain = "com.microsoft",
       .versions = {{1, "K:int N:int accuracy_level:int bits:int block_size:int weight_prepacked:int"}},
       .inputs = {3, 6},
       .infer = infer_matmul_n_bits,
       .lower = lower_matmul_n_bits},
      {.name = "QuantizedMatMulNBits",
       .domain = "cppgen",
       .versions = {{1, "K:int N:int bits:int block_size:int"}},
       .inputs = {4, 6},
       .infer = infer_quantized_matmul_n_bits,
       .lower = lower_quantized_matmul_n_bits},
  };
}

}  // namespace cppgen::ops
