// The tile kernel over a tile unit (amx_tile_unit.h): a block of 32 x 32 of float32 from parts in bfloat16; numbers
// that the parts cannot represent are multiplied by fused multiply-adds in float32.
#pragma once

#include "runtime/contraction/block_table.h"
#include "runtime/contraction/lines_ahead.h"
#include "runtime/contraction/split_prepare.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt::TILE_ISA {

// Tiles 0 to 3 hold the block, 4 and 5 a part of the left operand, 6 and 7 one of the right. Without Lower, only the
// upper 16 rows are used.
template <class Unit, bool Lower>
class StepProducts {
 public:
  __attribute__((always_inline))
  StepProducts(Unit& unit, const unsigned short* a, const unsigned short* b, LinesAhead& lines)
      : unit_(unit), a_(a), b_(b), lines_(lines) {}

  // Smaller products are added first and hi x hi last; with three parts, products below 2^-24 of it are omitted.
  __attribute__((always_inline)) void run_all(int parts) {
    if (parts == 3) {
      left<2>(), right<0>(), multiply();
      left<1>(), right<1>(), multiply();
      left<0>(), right<2>(), multiply();
      right<1>(), multiply();
      left<1>(), right<0>(), multiply();
      left<0>(), multiply();
    } else if (parts == 2) {
      left<1>(), right<0>(), multiply();
      left<0>(), right<1>(), multiply();
      right<0>(), multiply();
    } else {
      left<0>(), right<0>(), multiply();
    }
  }

 private:
  Unit& unit_;
  const unsigned short *a_, *b_;
  LinesAhead& lines_;
  static constexpr long kRowBytes = 64;

  template <int Part>
  __attribute__((always_inline)) void left() {
    const unsigned short* p = a_ + Part * split::kPartElements;
    unit_.template load<4>(p, kRowBytes);
    if constexpr (Lower) unit_.template load<5>(p + split::kTileElements, kRowBytes);
  }
  template <int Part>
  __attribute__((always_inline)) void right() {
    const unsigned short* p = b_ + Part * split::kPartElements;
    unit_.template load<6>(p, kRowBytes);
    unit_.template load<7>(p + split::kTileElements, kRowBytes);
  }
  __attribute__((always_inline)) void multiply() {
    unit_.template dot_bf16<0, 4, 6>();
    unit_.template dot_bf16<1, 4, 7>();
    lines_.fetch();
    if constexpr (Lower) unit_.template dot_bf16<2, 5, 6>(), unit_.template dot_bf16<3, 5, 7>();
  }
};

template <int Parts, bool Lower, class Unit>
TILE_FN void multiply_parts(const unsigned short* a, const unsigned short* b, long steps, float* c, long ldc,
                            LinesAhead lines) {
  auto&& unit = Unit::of_thread();
  const long stride = ldc * 4;
  unit.template zero<0>(), unit.template zero<1>();
  if constexpr (Lower) unit.template zero<2>(), unit.template zero<3>();
#pragma GCC unroll 1
  for (long s = 0; s < steps; s++, a += Parts * split::kPartElements, b += Parts * split::kPartElements)
    StepProducts<Unit, Lower>(unit, a, b, lines).run_all(Parts);
  unit.template store<0>(c, stride), unit.template store<1>(c + split::kTileSide, stride);
  if constexpr (Lower) {
    float* lower = c + split::kTileSide * ldc;
    unit.template store<2>(lower, stride), unit.template store<3>(lower + split::kTileSide, stride);
  }
}

// Row k of a panel: its columns from 16 * half on.
struct FloatPanel {
  const float* at;
  __attribute__((always_inline)) Floats row(long k, int half) const {
    return load(at + k * split::kBlockSide + half * kLanes);
  }
};
template <int Parts>
struct PartsPanel {
  const unsigned short* at;
  __attribute__((always_inline)) Floats row(long k, int half) const {
    const long step = k / split::kStepK, pair = k % split::kStepK / 2;
    const unsigned short* tile =
        at + step * Parts * split::kPartElements + half * split::kTileElements + pair * split::kStepK;
    Floats sum = {};
#pragma GCC unroll 3
    for (int p = 0; p < Parts; p++) {
      const Words both = *(const WordsInMemory*)(tile + p * split::kPartElements);
      sum += (Floats)(k % 2 ? both & 0xffff0000u : both << 16);
    }
    return sum;
  }
};

// The sums of the FMA tiles (tiles.h), in their order.
template <int Rows, class Panel>
void fused_rows(const void* const* left, long count, long taps, long K, Panel panel, float* c, long ldc) {
  Floats sums[Rows][2] = {};
  for (long t = 0; t < taps; t++)
    for (long d = 0; d < K; d++) {
      const Floats b[2] = {panel.row(t * K + d, 0), panel.row(t * K + d, 1)};
#pragma GCC unroll 8
      for (int r = 0; r < Rows; r++) {
        const Floats a = splat(((const float*)left[t * count + r])[d]);
        sums[r][0] = fused(a, b[0], sums[r][0]), sums[r][1] = fused(a, b[1], sums[r][1]);
      }
    }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; r++) store(c + r * ldc, sums[r][0]), store(c + r * ldc + kLanes, sums[r][1]);
}

template <class Panel>
TILE_FN void fused_block(const split::RowsHeader& rows, long taps, long K, Panel panel, float* c, long ldc) {
  int r = 0;
  for (; r + 8 <= rows.count; r += 8) fused_rows<8>(rows.rows + r, rows.count, taps, K, panel, c + r * ldc, ldc);
  for (; r + 4 <= rows.count; r += 4) fused_rows<4>(rows.rows + r, rows.count, taps, K, panel, c + r * ldc, ldc);
  for (; r < rows.count; r++) fused_rows<1>(rows.rows + r, rows.count, taps, K, panel, c + r * ldc, ldc);
}

// left[0]: the result of prepare_split for a block of rows. `block` has 32 rows; those beyond the prepared ones are
// undefined.
template <int Parts, class Unit>
void split_tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long ahead) {
  const auto& rows = *(const split::RowsHeader*)left[0];
  const auto& header = *(const split::PanelHeader*)panel;
  const unsigned short* a = (const unsigned short*)((const char*)left[0] + split::kHeaderBytes);
  const unsigned short* b = (const unsigned short*)((const char*)panel + split::kHeaderBytes);
  float* c = (float*)block;
  const long steps = split::steps(taps * K);
  if (Parts > 1 && !header.has_parts)
    fused_block(rows, taps, K, FloatPanel{(const float*)b}, c, ldc);
  else if (Parts > 1 && !split::exact(rows.range, header.range, taps * K))
    fused_block(rows, taps, K, PartsPanel<Parts>{b}, c, ldc);
  else if (rows.count <= split::kTileSide)
    multiply_parts<Parts, false, Unit>(a, b, steps, c, ldc, {panel, ahead});
  else
    multiply_parts<Parts, true, Unit>(a, b, steps, c, ldc, {panel, ahead});
}

// Adds the product to the contents of `block`: a sum that went on from there would lose digits (long_sums.h).
template <int Parts, class Unit>
void add_split_tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long ahead) {
  alignas(64) float sums[split::kBlockSide * split::kBlockSide];
  split_tile<Parts, Unit>(left, taps, K, panel, sums, split::kBlockSide, ahead);
  const int rows = ((const split::RowsHeader*)left[0])->count;
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < split::kBlockSide; j += kLanes) {
      float* const to = (float*)block + r * ldc + j;
      store(to, load(to) + load(sums + r * split::kBlockSide + j));
    }
}

template <class T, int Parts, class Unit>
constexpr TileSet split_tile_set() {
  return {split::kBlockSide,
          split::kBlockSide,
          block_table<split_tile<Parts, Unit>, add_split_tile<Parts, Unit>>.functions,
          prepare_split<T, Parts>,
          [] { Unit::of_thread().configure(); },
          [] { Unit::of_thread().release(); }};
}

}  // namespace cppgen::rt::TILE_ISA
