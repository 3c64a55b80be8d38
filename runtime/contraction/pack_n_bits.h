#pragma once
#include <cstdint>

#include "runtime/base/dtype.h"
#include "runtime/contraction/n_bit_layout.h"

namespace cppgen::rt {

// Weights of 2, 4 or 8 bits: the blocks of each column in order, with the first weight in the lowest bits of a byte.
// Each block has a scale and a zero, of float types; zeros may also be packed like the weights, each column starting at
// a new byte.
struct NBitSource {
  const uint8_t* values;
  const void* scales;
  DType scale_type;
  const void* zeros;  // null: 2^(bits - 1) for all
  DType zero_type;
  long columns, k, bits, block;
};

// The header of the panels that the weights are packed into.
n_bits::PanelHeader n_bit_header(const NBitSource&);

// Packs the weights into ceil(columns / nr) panels of n_bits::panel_bytes() each, aligned to 64 bytes, for tiles over
// rows of floats or of bytes (Order in n_bit_layout.h).
void pack_n_bits(const NBitSource&, int nr, void* out, n_bits::Order order = n_bits::Order::steps);

}  // namespace cppgen::rt
