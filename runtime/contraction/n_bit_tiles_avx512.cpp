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

template <>
struct FourBitTable<kLanes> {
  static constexpr bool kExists = true;

  TILE_MEMBER explicit FourBitTable(float zero) {
    float numbers[16];
    unsigned short halves[32];  // twice, because a word of 16 bits selects by five of them
    for (int i = 0; i < 16; i++) {
      numbers[i] = float(i) - zero;
      halves[i] = halves[i + 16] = (unsigned short)(__builtin_bit_cast(unsigned, numbers[i]) >> 16);
    }
    numbers_ = load(numbers);
    __builtin_memcpy(&halves_, halves, sizeof halves_);
  }
  TILE_MEMBER Vector lowest(Words w) const {
    return (Vector)__builtin_ia32_permvarsf512_mask(numbers_, (Indices)w, Vector{}, -1);
  }
  // The upper halves of the numbers; the lower ones are 0.
  TILE_MEMBER Vector upper(Words w) const {
    return (Vector)__builtin_ia32_permvarhi512_mask(halves_, (Halves)w, Halves{}, 0xaaaaaaaau);
  }

 private:
  typedef int Indices __attribute__((vector_size(64)));
  typedef short Halves __attribute__((vector_size(64)));
  Vector numbers_;
  Halves halves_;
};
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/n_bit_tile.h"
#include "runtime/contraction/widen_rows.h"

namespace cppgen::rt::avx512 {
const TileSet tiles_n_bits = n_bit_set<14, 8, 2>();
const TileSet tiles_n_bits_of_f16 = n_bit_set<14, 8, 2>(widen_rows<vec::f16>);
const TileSet tiles_n_bits_of_bf16 = n_bit_set<14, 8, 2>(widen_rows<vec::bf16>);
const TileSet tiles_n_bits_copied = n_bit_set<14, 8, 2>(widen_rows<float>);
}  // namespace cppgen::rt::avx512
