#include "runtime/contraction/tiles.h"
#include "vec/avx2/vec.h"

#define TILE_ISA avx2

namespace cppgen::rt::TILE_ISA {
constexpr int kLanes = vec::L;
}

#include "runtime/contraction/n_bit_vec.h"

namespace cppgen::rt::TILE_ISA {
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) {
  return vec::fma(vec::V<float>{a}, vec::V<float>{b}, vec::V<float>{c}).v;
}
TILE_FN Vector widen_bytes(const unsigned char* p) { return vec::cast<float>(vec::load<unsigned char>(p)).v; }
}  // namespace cppgen::rt::TILE_ISA

namespace cppgen::rt::TILE_ISA {
typedef int Dots __attribute__((vector_size(4 * kLanes)));
typedef char Bytes __attribute__((vector_size(4 * kLanes)));
typedef short Pairs __attribute__((vector_size(4 * kLanes)));

// The sums of four products with numbers of four bits, of which two do not saturate 16 bits, times the factor.
TILE_FN Dots dot_of_halves(Dots weights, Dots bytes, short factor) {
  return __builtin_ia32_pmaddwd256((Pairs)__builtin_ia32_pmaddubsw256((Bytes)weights, (Bytes)bytes), Pairs{} + factor);
}
template <int Bits>
TILE_FN Dots dot(Dots sums, Dots weights, Dots bytes) {
  constexpr int kLower = 0x0f0f0f0f;
  if constexpr (Bits == 4) return sums + dot_of_halves(weights, bytes, 1);
  return sums + dot_of_halves(weights & kLower, bytes, 1) + dot_of_halves(weights >> 4 & kLower, bytes, 16);
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/n_bit_byte_tile.h"
#include "runtime/contraction/n_bit_tile.h"
#include "runtime/contraction/widen_rows.h"

namespace cppgen::rt::avx2 {
const TileSet tiles_n_bits = n_bit_set<6, 4, 2>();
const TileSet tiles_n_bits_of_f16 = n_bit_set<6, 4, 2>(widen_rows<vec::f16>);
const TileSet tiles_n_bits_of_bf16 = n_bit_set<6, 4, 2>(widen_rows<vec::bf16>);
const TileSet tiles_n_bits_copied = n_bit_set<6, 4, 2>(widen_rows<float>);
const TileSet tiles_n_bits_of_i8 = n_bit_byte_set<4, 2>();
}  // namespace cppgen::rt::avx2
