#include "cppgen/ir/n_bits.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

// MatMulNBits: a [.., K] times the transposed weights b [N, blocks, bytes of a block] of ir/n_bits.h. Zero points that
// are numbers are of a's type.
enum NBitInput { kLeft, kPacked, kBlockScales, kBlockZeros, kGroups, kColumnBias };

ir::NBitWeights packing_of(InferContext& c) {
  ir::NBitWeights p;
  p.depth = c.integer("K"), p.columns = c.integer("N"), p.bits = c.integer("bits", 4),
  p.block = c.integer("block_size");
  if (p.depth < 1 || p.columns < 1)
    c.fail(fmt::format("K is {} and N is {}; both must be at least 1", p.depth, p.columns));
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    c.fail(fmt::format("{} bits are not supported; 2, 4 and 8 are", p.bits));
  if (p.block < 16 || (p.block & (p.block - 1)) != 0)
    c.fail(fmt::format("attribute 'block_size' is {}; it must be a power of 2 and at least 16", p.block));
  constexpr int64_t kMost = int64_t{1} << 28;  // so that no product of two of them overflows
  if (p.depth > kMost || p.columns > kMost || p.block > kMost) c.fail("the weights are too large");
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

void infer_matmul_n_bits(InferContext& c) {
  const ir::NBitWeights p = packing_of(c);
  require_dtype(c, kLeft, bit(DType::f32) | bit(DType::f16) | bit(DType::bf16));
  require_rank(c, kLeft, 1, -1);
  require_equal(c, c.shape(kLeft).back(), p.depth, "the last dimension of A and K");
  require_dtype(c, kPacked, bit(DType::u8));
  require_rank(c, kPacked, 3, 3);
  const int64_t wanted[] = {p.columns, p.blocks(), p.block_bytes()};
  for (int d = 0; d < 3; ++d) require_equal(c, c.shape(kPacked)[size_t(d)], wanted[d], "dimensions of B");
  require_same_dtype(c, kLeft, kBlockScales);
  require_rows(c, kBlockScales, p.columns, p.blocks());
  if (c.has_input(kBlockZeros)) {
    const bool packed = c.dtype(kBlockZeros) == DType::u8;
    if (!packed) require_same_dtype(c, kLeft, kBlockZeros);
    require_rows(c, kBlockZeros, p.columns, packed ? p.zero_bytes() : p.blocks());
  }
  // One of constants, with as many rows for each block as it has, is gone by now (passes/expand_composites.h).
  if (c.has_input(kGroups))
    c.fail("g_idx and the weights must be constant, and g_idx must assign block_size rows to each block");
  if (c.has_input(kColumnBias)) {
    require_same_dtype(c, kLeft, kColumnBias);
    require_rank(c, kColumnBias, 1, 1);
    require_equal(c, c.shape(kColumnBias)[0], p.columns, "biases and N");
  }
  Shape out = c.shape(kLeft);
  out.back() = p.columns;
  c.set_output(0, c.dtype(kLeft), out);
}

ir::NBitWeights packed_weights(LowerContext& c) {
  ir::NBitWeights w = packing_of(c);
  w.values = c.input_buffer(kPacked), w.scales = c.input_buffer(kBlockScales);
  if (c.has_input(kBlockZeros)) w.zeros = c.input_buffer(kBlockZeros);
  return w;
}

void emit_product(LowerContext& c, const ir::NBitWeights& w, ir::BufferId out) {
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({w.depth}, "k");
  nest.roles.assign(nest.loops.size() - 1, ir::AxisRole::rows);
  nest.roles.insert(nest.roles.end(), {ir::AxisRole::columns, ir::AxisRole::depth});
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  At left = at;
  left.back() = k;
  Scalar weight = scalar(c, ir::weight_at(c.program(), w, at.back(), k));
  nest.reductions.push_back({ir::ReduceOp::sum, DType::f32, load_input(c, kLeft, left) * weight});
  nest.stores.push_back({out, at, c.exprs().accumulator(0, DType::f32), {}});
  c.emit(std::move(nest));
}

void lower_matmul_n_bits(LowerContext& c) {
  const bool biased = c.has_input(kColumnBias);
  ir::BufferId sum = biased ? c.temporary(DType::f32, c.output(0).shape) : c.output_buffer(0);
  emit_product(c, packed_weights(c), sum);
  if (!biased) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return load(c, sum, at) + load_input(c, kColumnBias, {at.back()}); },
      "bias");
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
  };
}

}  // namespace cppgen::ops
