#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512

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

#include "runtime/contraction/n_bit_tile.h"
#include "runtime/contraction/widen_rows.h"

namespace cppgen::rt::avx512 {
const TileSet tiles_n_bits = n_bit_set<14, 8, 2>();
const TileSet tiles_n_bits_of_f16 = n_bit_set<14, 8, 2>(widen_rows<vec::f16>);
const TileSet tiles_n_bits_of_bf16 = n_bit_set<14, 8, 2>(widen_rows<vec::bf16>);
const TileSet tiles_n_bits_copied = n_bit_set<14, 8, 2>(widen_rows<float>);
}  // namespace cppgen::rt::avx512
