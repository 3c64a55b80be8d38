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

struct TileUnit {
  typedef float Vector __attribute__((vector_size(4 * TILE_ISA::kLanes)));
  static constexpr int kLanes = TILE_ISA::kLanes;
  TILE_FN Vector load(const float* p) { return TILE_ISA::load(p); }
  TILE_FN Vector splat(float x) { return TILE_ISA::splat(x); }
  TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return TILE_ISA::multiply_add(a, b, c); }
};

}  // namespace cppgen::rt::TILE_ISA
