#include "cppgen/ir/program/n_bits.h"

#include <algorithm>

#include "cppgen/ir/program/program.h"

namespace cppgen::ir {
namespace {

Expr load_of_column(const Program& p, BufferId b, IndexExpr column, IndexExpr i, int64_t row) {
  const Buffer& buffer = p.buffer(b);
  if (buffer.shape.size() == 2) return p.exprs->load(b, buffer.type, {column, i});
  return p.exprs->load(b, buffer.type, {column * row + i});
}

// Field `i` of a byte that holds several, as float32.
Expr field(ExprArena& exprs, Expr byte, IndexExpr i, int64_t bits) {
  Expr shift = exprs.cast(DType::i32, exprs.index(i * bits));
  Expr shifted = exprs.binary(BinaryOp::shr, exprs.cast(DType::i32, byte), shift);
  Expr mask = exprs.constant_int(DType::i32, (int64_t{1} << bits) - 1);
  return exprs.cast(DType::f32, exprs.binary(BinaryOp::bit_and, shifted, mask));
}

Expr zero_of_block(const Program& p, const NBitWeights& w, IndexExpr column, IndexExpr block) {
  if (w.zeros < 0) return p.exprs->constant(DType::f32, double(int64_t{1} << (w.bits - 1)));
  if (p.buffer(w.zeros).type != DType::u8) return load_of_column(p, w.zeros, column, block, w.blocks());
  Expr byte = load_of_column(p, w.zeros, column, floordiv(block, w.in_byte()), w.zero_bytes());
  return field(*p.exprs, byte, mod(block, w.in_byte()), w.bits);
}

bool is_row(const Buffer& b, int64_t columns, int64_t row) {
  if (b.shape.size() == 1) return b.shape[0].is_constant(columns * row);
  return b.shape.size() == 2 && b.shape[0].is_constant(columns) && b.shape[1].is_constant(row);
}

std::vector<BufferId> buffers_of(Expr value) {
  std::vector<BufferId> buffers;
  for (Expr e : postorder({&value, 1}))
    if (e->kind == ExprKind::load && std::find(buffers.begin(), buffers.end(), e->buffer) == buffers.end())
      buffers.push_back(e->buffer);
  return buffers;
}

// Returns whether the buffers have the shapes that weight_at reads.
bool fits(const Program& p, const NBitWeights& w) {
  const Buffer &values = p.buffer(w.values), &scales = p.buffer(w.scales);
  if (values.type != DType::u8 || values.shape.size() != 3 || !values.shape[0].is_constant(w.columns) ||
      !values.shape[1].is_constant(w.blocks()) || !values.shape[2].is_constant(w.block_bytes()))
    return false;
  if (value_type(scales.type) != DType::f32 || !is_row(scales, w.columns, w.blocks())) return false;
  if (w.zeros < 0) return true;
  const Buffer& zeros = p.buffer(w.zeros);
  if (zeros.type == DType::u8) return is_row(zeros, w.columns, w.zero_bytes());
  return value_type(zeros.type) == DType::f32 && is_row(zeros, w.columns, w.blocks());
}

}  // namespace

Expr weight_at(const Program& p, const NBitWeights& w, IndexExpr column, IndexExpr k) {
  ExprArena& exprs = *p.exprs;
  const IndexExpr block = floordiv(k, w.block), place = mod(k, w.block);
  Expr byte = exprs.load(w.values, DType::u8, {column, block, floordiv(place, w.in_byte())});
  Expr bits = field(exprs, byte, mod(place, w.in_byte()), w.bits);
  Expr steps = exprs.binary(BinaryOp::sub, bits, zero_of_block(p, w, column, block));
  return exprs.binary(BinaryOp::mul, steps, load_of_column(p, w.scales, column, block, w.blocks()));
}

std::optional<NBitWeights> n_bit_weights(const Program& p, Expr value, const Loop& column, const Loop& k) {
  const std::vector<BufferId> buffers = buffers_of(value);
  if (!column.extent.is_constant() || !k.extent.is_constant() || buffers.size() < 2 || buffers.size() > 3) return {};
  for (BufferId values : buffers) {
    const auto& shape = p.buffer(values).shape;
    if (shape.size() != 3 || !shape[2].is_constant()) continue;
    for (BufferId scales : buffers)
      for (int64_t bits : {2, 4, 8}) {
        NBitWeights w{
            values, scales, -1, column.extent.constant(), k.extent.constant(), bits, shape[2].constant() * 8 / bits};
        for (BufferId b : buffers)
          if (b != values && b != scales) w.zeros = b;
        // Values are hash-consed: equal ones are one node.
        if (w.block > 0 && fits(p, w) && weight_at(p, w, column.var, k.var) == value) return w;
      }
  }
  return {};
}

}  // namespace cppgen::ir
