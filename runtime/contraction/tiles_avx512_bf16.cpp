// Tiles of bfloat16 times bfloat16 on AVX512_BF16: two steps of K per instruction.
//
// By intrinsics, since the types of the builtins below them differ between compilers.
#include <immintrin.h>

#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512_bf16
#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/prepare_rows.h"

namespace cppgen::rt::avx512_bf16 {
namespace {

typedef float Vector __attribute__((vector_size(64)));
typedef short Pairs __attribute__((vector_size(64), may_alias));  // 16 pairs of bfloat16
typedef unsigned PairOfAnyAlignment __attribute__((aligned(2), may_alias));

constexpr int kTileRows = 14, kTileColumns = 32, kLanes = 16, kVectors = kTileColumns / kLanes;
constexpr int kStepElements = 2 * kTileColumns;  // of a panel, for one pair of steps
constexpr int kPrefetchSteps = 16;

template <int Rows>
struct Accumulators {
  Vector v[Rows][kVectors];
};

VEC_FN Pairs splat_pair(unsigned pair) {
  typedef unsigned Words __attribute__((vector_size(64)));
  return (Pairs)(Words{} + pair);
}

// The outer product of a pair of steps: pair(r) is row r's.
template <int Rows, class Pair>
VEC_FN void outer_product(Accumulators<Rows>& acc, const unsigned short* b, const Pair& pair) {
  Pairs bv[kVectors];
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; j++) bv[j] = *(const Pairs*)(b + j * 2 * kLanes);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++) {
    const Pairs x = splat_pair(pair(r));
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; j++) acc.v[r][j] = _mm512_dpbf16_ps(acc.v[r][j], (__m512bh)bv[j], (__m512bh)x);
  }
}

VEC_FN void prefetch_step(const unsigned short* b) {
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; j++) __builtin_prefetch(b + j * 2 * kLanes);
}

template <int Rows, bool Adds>
void tile_block(const void* const* left, long taps, long K, const void* panel, long, void* block, long ldc, long) {
  Accumulators<Rows> acc = {};
  const unsigned short* b = (const unsigned short*)panel;
  for (long t = 0; t < taps; t++, left += Rows) {
    const unsigned short* row[Rows];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; r++) row[r] = (const unsigned short*)left[r];
    long k = 0;
    const auto pair = [&](long at) {
      return [&row, at ](int r) __attribute__((always_inline)) {
        return (unsigned)*(const PairOfAnyAlignment*)(row[r] + at);
      };
    };
#pragma GCC unroll 1
    for (; k + 8 <= K; k += 8, b += 4 * kStepElements) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; u++) {
        prefetch_step(b + (u + kPrefetchSteps) * kStepElements);
        outer_product<Rows>(acc, b + u * kStepElements, pair(k + 2 * u));
      }
    }
#pragma GCC unroll 1
    for (; k + 2 <= K; k += 2, b += kStepElements) outer_product<Rows>(acc, b, pair(k));
    if (k < K) {
      outer_product<Rows>(
          acc, b, [&row, k ](int r) __attribute__((always_inline)) { return (unsigned)row[r][k]; });
      b += kStepElements;
    }
  }
  float* c = (float*)block;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; r++)
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; j++) {
      float* const to = c + r * ldc + j * kLanes;
      const Vector sum = Adds ? vec::load<float>(to).v + acc.v[r][j] : acc.v[r][j];
      vec::store<float>(to, vec::V<float>{sum});
    }
}

template <int Rows>
void tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long) {
  if (taps * K <= kWholeTerms) return tile_block<Rows, false>(left, taps, K, panel, 0, block, ldc, 0);
  sum_blocks({tile_block<Rows, false>, tile_block<Rows, true>, Rows, kTileColumns, 2, 2 * kTileColumns, 2}, left, taps,
             K, panel, 0, (float*)block, ldc, 0);
}

// Rounds to nearest even; denormals become zero.
VEC_FN void narrow(const float* from, long n, unsigned short* to) {
  typedef short Narrow __attribute__((vector_size(32), aligned(2), may_alias));
  long k = 0;
  for (; k + kLanes <= n; k += kLanes) *(Narrow*)(to + k) = (Narrow)_mm512_cvtneps_pbh(vec::load<float>(from + k).v);
  if (k == n) return;
  const Narrow rest = (Narrow)_mm512_cvtneps_pbh(vec::load<float>(from + k, int(n - k)).v);
  __builtin_memcpy(to + k, &rest, (unsigned long)(n - k) * 2);
}

void narrow_rows(const void* const* left, long rows, long taps, long K, void* scratch, const void** prepared) {
  const auto convert = [K](const void* from, void* to) __attribute__((always_inline)) {
    narrow((const float*)from, K, (unsigned short*)to);
  };
  prepare_rows(left, rows, taps, prepared_row_bytes(K, 2), scratch, prepared, convert);
}

constexpr TileFunction kTiles[kTileRows + 1] = {nullptr,  tile<1>,  tile<2>,  tile<3>,  tile<4>,
                                                tile<5>,  tile<6>,  tile<7>,  tile<8>,  tile<9>,
                                                tile<10>, tile<11>, tile<12>, tile<13>, tile<14>};

}  // namespace

const TileSet tiles_bf16 = {kTileRows, kTileColumns, kTiles};
const TileSet tiles_bf16_of_f32 = {kTileRows, kTileColumns, kTiles, narrow_rows};

}  // namespace cppgen::rt::avx512_bf16
