// The head of the weights of a block in panels of few bits (n_bit_layout.h), for translation units that include
// n_bit_vec.h before and define widen_bytes() there.
#pragma once

#include "runtime/contraction/n_bit_layout.h"

namespace cppgen::rt::TILE_ISA {

// The scales and zeros of one block.
template <int Vectors>
struct NBitBlockHead {
  Vector scale[Vectors], zero[Vectors];

  // Returns where the weights of the block are.
  TILE_MEMBER const char* read(const n_bits::PanelHeader& header, const char* p) {
    constexpr long kColumns = Vectors * kLanes;
    const char* const zeros = p + kColumns * 4;
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      scale[j] = load((const float*)p + j * kLanes);
      zero[j] = header.zeros == n_bits::Zeros::same    ? splat(header.same_zero)
                : header.zeros == n_bits::Zeros::bytes ? widen_bytes((const unsigned char*)zeros + j * kLanes)
                                                       : load((const float*)zeros + j * kLanes);
    }
    return zeros + kColumns * n_bits::zero_bytes(header.zeros);
  }
};

}  // namespace cppgen::rt::TILE_ISA
