// Tiles whose right operand is a matrix in place, for translation units that include tile_body.h before. For what they
// compute see f32_matrix in runtime/contraction/tiles.h.
#pragma once

namespace cppgen::rt::TILE_ISA {

// The steps of K of a matrix whose last vector has `last` columns.
template <int Vectors>
struct NarrowSteps : vec::MatrixSteps<TileUnit, Vectors, float> {
  int last;

  VEC_MEMBER Vector load(int j) const {
    const float* const p = this->row + j * kLanes;
    return j == Vectors - 1 ? load_first(p, last) : TileUnit::load(p);
  }
};

// `place` is what the tile receives as `ahead`. One function for sums that overwrite the block and that are added to
// it.
template <int Rows, int Vectors>
VEC_KEEPS_REGISTERS __attribute__((noinline)) void sum_matrix(const void* const* left, long taps, long K,
                                                              const float* matrix, long place, float* block, long ldc,
                                                              bool adds) {
  vec::Sums<TileUnit, Rows, Vectors> sums;
  const vec::MatrixSteps<TileUnit, Vectors, float> steps{matrix, place / kMatrixPlace};
  if (const int last = int(place % kMatrixPlace) - (Vectors - 1) * kLanes; last == kLanes)
    vec::add_taps(sums, left, taps, K, steps);
  else
    vec::add_taps(sums, left, taps, K, NarrowSteps<Vectors>{steps, last});
  if (adds)
    store_sums<true>(sums, block, ldc);
  else
    store_sums<false>(sums, block, ldc);
}

// A BlockFunction for a matrix.
template <int Rows, int Vectors, bool Adds>
void matrix_block(const void* const* left, long taps, long K, const void* matrix, long place, void* block, long ldc,
                  long) {
  sum_matrix<Rows, Vectors>(left, taps, K, static_cast<const float*>(matrix), place, static_cast<float*>(block), ldc,
                            Adds);
}

template <int Rows, int Vectors>
void matrix_vectors(const void* const* left, long taps, long K, const float* matrix, long place, float* block,
                    long ldc) {
  constexpr int kBytes = sizeof(float);
  if (taps * K <= kWholeTerms) return sum_matrix<Rows, Vectors>(left, taps, K, matrix, place, block, ldc, false);
  sum_blocks({matrix_block<Rows, Vectors, false>, matrix_block<Rows, Vectors, true>, Rows, Vectors * kLanes, kBytes,
              place / kMatrixPlace * kBytes, 1},
             left, taps, K, matrix, place, block, ldc, 0);
}

// The columns in parts of at most MostVectors vectors, as many as the sums of so many rows leave registers for.
template <int Rows, int MostVectors>
void matrix_tile(const void* const* left, long taps, long K, const void* matrix, void* block, long ldc, long place) {
  const float* from = static_cast<const float*>(matrix);
  float* to = static_cast<float*>(block);
  const long distance = place / kMatrixPlace;
  long columns = place % kMatrixPlace;
  for (constexpr long kMost = MostVectors * kLanes; columns > 0; columns -= kMost, from += kMost, to += kMost) {
    const long some = columns < kMost ? columns : kMost, part = distance * kMatrixPlace + some;
    if (some > 2 * kLanes) {
      if constexpr (MostVectors > 2) matrix_vectors<Rows, 3>(left, taps, K, from, part, to, ldc);
    } else if (some > kLanes) {
      if constexpr (MostVectors > 1) matrix_vectors<Rows, 2>(left, taps, K, from, part, to, ldc);
    } else {
      matrix_vectors<Rows, 1>(left, taps, K, from, part, to, ldc);
    }
  }
}

template <int MaxRows, int MaxRowsOfTwo, int MaxRowsOfThree>
constexpr RowTable<TileFunction, MaxRows, 1> matrix_table([](auto rows) {
  constexpr int kVectors = rows <= MaxRowsOfThree ? 3 : rows <= MaxRowsOfTwo ? 2 : 1;
  return RowFunctions<TileFunction, 1>{matrix_tile<rows, kVectors>};
});

// The numbers of rows that may have sums in one vector, in two and in three.
template <int MaxRows, int MaxRowsOfTwo, int MaxRowsOfThree>
constexpr TileSet matrix_set() {
  return {MaxRows, 3 * kLanes, matrix_table<MaxRows, MaxRowsOfTwo, MaxRowsOfThree>.functions};
}

}  // namespace cppgen::rt::TILE_ISA
