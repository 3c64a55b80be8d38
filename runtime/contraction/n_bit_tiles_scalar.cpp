#include "runtime/contraction/tiles.h"
#include "vec/scalar/vec.h"

#define TILE_ISA scalar

namespace cppgen::rt::TILE_ISA {
constexpr int kLanes = 4;
}

#include "runtime/contraction/n_bit_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
TILE_FN Vector widen_bytes(const unsigned char* p) {
  return Vector{float(p[0]), float(p[1]), float(p[2]), float(p[3])};
}
}  // namespace cppgen::rt::TILE_ISA

namespace cppgen::rt::TILE_ISA {
typedef int Dots __attribute__((vector_size(4 * kLanes)));

template <int Bits>
TILE_FN Dots dot(Dots sums, Dots weights, Dots bytes) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) sums += (weights >> 8 * i & 255) * (bytes << (24 - 8 * i) >> 24);
  return sums;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/n_bit_byte_tile.h"
#include "runtime/contraction/n_bit_tile.h"
#include "runtime/contraction/widen_rows.h"

namespace cppgen::rt::scalar {
const TileSet tiles_n_bits = n_bit_set<4, 2, 2>();
const TileSet tiles_n_bits_of_f16 = n_bit_set<4, 2, 2>(widen_rows<vec::f16>);
const TileSet tiles_n_bits_of_bf16 = n_bit_set<4, 2, 2>(widen_rows<vec::bf16>);
const TileSet tiles_n_bits_copied = n_bit_set<4, 2, 2>(widen_rows<float>);
const TileSet tiles_n_bits_of_i8 = n_bit_byte_set<2, 2>();
}  // namespace cppgen::rt::scalar
