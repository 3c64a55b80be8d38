#pragma once
#include <optional>

#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {

struct Loop;
struct Program;

// Weights of few bits, a scale for each block of `block` of them: those of a column are contiguous in `values`, uint8
// [columns, blocks, bytes of a block], the first in the lowest bits. scales [columns, blocks]; zeros, if any, are
// either numbers [columns, blocks] or uint8 packed like the weights, each column starting at a new byte. Scales and
// zeros may also be written flat.
struct NBitWeights {
  BufferId values = -1, scales = -1, zeros = -1;  // zeros -1: 2^(bits - 1) for all
  int64_t columns = 0, k = 0, bits = 4, block = 0;

  int64_t in_byte() const { return 8 / bits; }
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t block_bytes() const { return block / in_byte(); }
  int64_t zero_bytes() const { return (blocks() + in_byte() - 1) / in_byte(); }  // of one column
};

// The number that weight k of the column represents: (its bits - its zero) * its scale, in float32.
Expr weight_at(const Program&, const NBitWeights&, IndexExpr column, IndexExpr k);

// The weights for which `value` is weight_at(column, k), for constant extents of column and k; nullopt if there are
// none.
std::optional<NBitWeights> n_bit_weights(const Program&, Expr value, const Loop& column, const Loop& k);

}  // namespace cppgen::ir
