#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;

// MatMulNBits: a [.., K] times the transposed weights b [N, blocks, bytes of a block], which hold `bits` each, the
// first in the lowest bits. The weights of a block have one scale and one zero point: scales [N, blocks], zero points
// packed as the weights are, each row from a new byte, or as numbers of a's type. Blocks may also be written flat.
enum Input { kA, kB, kScales, kZeros, kGroups, kBias };

struct Packing {
  int64_t k, n, bits, block;
  int64_t in_byte() const { return 8 / bits; }
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t block_bytes() const { return block / in_byte(); }
  int64_t zero_bytes() const { return (blocks() + in_byte() - 1) / in_byte(); }  // of one row
};

Packing packing_of(InferContext& c) {
  Packing p{c.integer("K"), c.integer("N"), c.integer("bits", 4), c.integer("block_size")};
  if (p.k < 1 || p.n < 1) c.fail(fmt::format("K is {} and N is {}; both must be at least 1", p.k, p.n));
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    c.fail(fmt::format("{} bits are not supported, but 2, 4 and 8", p.bits));
  if (p.block < 16 || (p.block & (p.block - 1)) != 0)
    c.fail(fmt::format("attribute 'block_size' is {}; it must be a power of 2 and at least 16", p.block));
  if (p.k > int64_t(1) << 40 || p.n > int64_t(1) << 40) c.fail("the weights are too large");
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
  const Packing p = packing_of(c);
  require_dtype(c, kA, bit(DType::f32) | bit(DType::f16) | bit(DType::bf16));
  require_rank(c, kA, 1, -1);
  require_equal(c, c.shape(kA).back(), p.k, "the last dimension of A and K");
  require_dtype(c, kB, bit(DType::u8));
  require_rank(c, kB, 3, 3);
  const int64_t wanted[] = {p.n, p.blocks(), p.block_bytes()};
  for (int d = 0; d < 3; ++d) require_equal(c, c.shape(kB)[size_t(d)], wanted[d], "dimensions of B");
  require_same_dtype(c, kA, kScales);
  require_rows(c, kScales, p.n, p.blocks());
  if (c.has_input(kZeros)) {
    const bool packed = c.dtype(kZeros) == DType::u8;
    if (!packed) require_same_dtype(c, kA, kZeros);
    require_rows(c, kZeros, p.n, packed ? p.zero_bytes() : p.blocks());
  }
  if (c.has_input(kGroups)) c.fail("g_idx is not supported");
  if (c.has_input(kBias)) {
    require_same_dtype(c, kA, kBias);
    require_rank(c, kBias, 1, 1);
    require_equal(c, c.shape(kBias)[0], p.n, "biases and N");
  }
  Shape out = c.shape(kA);
  out.back() = p.n;
  c.set_output(0, c.dtype(kA), out);
}

Scalar load_row_element(LowerContext& c, int input, IndexExpr row, IndexExpr column, int64_t columns) {
  if (c.shape(input).size() == 2) return load_input(c, input, {row, column});
  return load_input(c, input, {row * columns + column});
}

// Field `index` of a byte, as a float.
Scalar field(Scalar byte, Scalar shift, int64_t bits) {
  Scalar shifted = byte.cast(DType::i32).binary(ir::BinaryOp::shr, shift);
  return shifted.binary(ir::BinaryOp::bit_and, shifted.number(double((1 << bits) - 1))).cast(DType::f32);
}

Scalar zero_of_block(LowerContext& c, const Packing& p, IndexExpr row, IndexExpr block) {
  if (!c.has_input(kZeros)) return number(c, DType::f32, double(1 << (p.bits - 1)));
  if (c.dtype(kZeros) != DType::u8) return load_row_element(c, kZeros, row, block, p.blocks());
  Scalar byte = load_row_element(c, kZeros, row, floordiv(block, p.in_byte()), p.zero_bytes());
  return field(byte, index_value(c, mod(block, p.in_byte()) * p.bits, DType::i32), p.bits);
}

// The products of one byte's weights with their elements of a.
Scalar products_of_byte(LowerContext& c, const Packing& p, const At& at, IndexExpr block, IndexExpr byte) {
  Scalar packed = load_input(c, kB, {at.back(), block, byte}), zero = zero_of_block(c, p, at.back(), block);
  std::optional<Scalar> sum;
  for (int64_t i = 0; i < p.in_byte(); ++i) {
    At from = at;
    from.back() = block * p.block + byte * p.in_byte() + i;
    Scalar a = load_inside(c, c.input_buffer(kA), from, number(c, DType::f32, 0));  // the last block may be longer
    Scalar weight = field(packed, number(c, DType::i32, double(i * p.bits)), p.bits) - zero;
    sum = sum ? *sum + a * weight : a * weight;
  }
  return *sum * load_row_element(c, kScales, at.back(), block, p.blocks());
}

void lower_matmul_n_bits(LowerContext& c) {
  const Packing p = packing_of(c);
  const bool biased = c.has_input(kBias);
  ir::BufferId sum = biased ? c.temporary(DType::f32, c.output(0).shape) : c.output_buffer(0);
  emit_reduction(c, {"",
                     sum,
                     {p.blocks(), p.block_bytes()},
                     ir::ReduceOp::sum,
                     [&](const At& at, const At& k) { return products_of_byte(c, p, at, k[0], k[1]); },
                     nullptr});
  if (!biased) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return load(c, sum, at) + load_input(c, kBias, {at.back()}); }, "bias");
}

}  // namespace

void add_matmul_n_bits_ops(std::vector<Op>& t) {
  add_versions(t, "MatMulNBits", {1}, {3, 6, 1}, infer_matmul_n_bits, lower_matmul_n_bits, nullptr, "com.microsoft");
}

}  // namespace cppgen::ops
