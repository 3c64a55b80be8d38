#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512_vnni

namespace cppgen::rt::TILE_ISA {
constexpr int kLanes = vec::L;
}

#include "runtime/contraction/n_bit_vec.h"

namespace cppgen::rt::TILE_ISA {
typedef int Dots __attribute__((vector_size(4 * kLanes)));

TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) {
  return vec::fma(vec::V<float>{a}, vec::V<float>{b}, vec::V<float>{c}).v;
}
TILE_FN Vector widen_bytes(const unsigned char* p) { return vec::cast<float>(vec::load<unsigned char>(p)).v; }

// Does not saturate, unlike vpdpbusds.
template <int Bits>
TILE_FN Dots dot(Dots sums, Dots weights, Dots bytes) {
  return __builtin_ia32_vpdpbusd_v16si(sums, weights, bytes);
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/n_bit_byte_tile.h"

namespace cppgen::rt::avx512_vnni {
const TileSet tiles_n_bits_of_i8 = n_bit_byte_set<8, 2>();
}
