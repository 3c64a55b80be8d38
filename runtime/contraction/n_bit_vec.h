// Vectors for n_bit_tile.h, for translation units that define TILE_ISA and kLanes of it before.
#pragma once

#define TILE_FN static inline __attribute__((always_inline))
#define TILE_MEMBER inline __attribute__((always_inline))

namespace cppgen::rt::TILE_ISA {

typedef float Vector __attribute__((vector_size(4 * kLanes)));
typedef float VectorInMemory __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
typedef unsigned Words __attribute__((vector_size(4 * kLanes)));
typedef unsigned WordsInMemory __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));

TILE_FN Vector load(const float* p) { return *(const VectorInMemory*)p; }
TILE_FN void store(float* p, Vector x) { *(VectorInMemory*)p = x; }
TILE_FN Vector splat(float x) { return x - Vector{}; }
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c);

// With AVX-512, a multiplication can broadcast a number from memory; a separate broadcast takes as long as another
// operation on vectors.
constexpr bool kBroadcastsInPlace = kLanes == 16;

// 16 numbers that words select by four of their bits. Instruction sets that do this faster than by arithmetic
// specialise it for their lanes: FourBitTable(zero) has the numbers 0 - zero .. 15 - zero, all of them whole and below
// 256, lowest() selects by the lowest bits of each word, upper() by the lowest bits of its upper half.
template <int Lanes>
struct FourBitTable {
  static constexpr bool kExists = false;
};

// Writes the sums of a tile, or adds them to what is there, and clears them.
template <int Rows, int Vectors>
TILE_FN void store_sums(Vector (&sums)[Rows][Vectors], float* c, long ldc, bool adds) {
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; j++) {
      float* const to = c + r * ldc + j * kLanes;
      store(to, adds ? load(to) + sums[r][j] : sums[r][j]);
      sums[r][j] = Vector{};
    }
}

struct TileUnit {
  typedef float Vector __attribute__((vector_size(4 * TILE_ISA::kLanes)));
  static constexpr int kLanes = TILE_ISA::kLanes;
  TILE_FN Vector load(const float* p) { return TILE_ISA::load(p); }
  TILE_FN Vector splat(float x) { return TILE_ISA::splat(x); }
  TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return TILE_ISA::multiply_add(a, b, c); }
};

}  // namespace cppgen::rt::TILE_ISA
