// Blocks of 32 x 32 of int32 from bytes on a tile unit (amx_tile_unit.h), for translation units that define TILE_ISA.
// The left bytes are signed or unsigned, the right ones signed; sums are exact modulo 2^32.
#pragma once

#include "runtime/contraction/block_table.h"
#include "runtime/contraction/byte_block_layout.h"
#include "runtime/contraction/k_cursor.h"
#include "runtime/contraction/lines_ahead.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt::TILE_ISA {

typedef unsigned char TileLine __attribute__((vector_size(64), aligned(1), may_alias));

// One row of 64 bytes of every tile in its half.
static inline __attribute__((always_inline)) void prepare_byte_row(KCursor<unsigned char, byte_blocks::kStepK> cursor,
                                                                   long steps, unsigned char* to) {
  using namespace byte_blocks;
  while (steps > 0) {
    const long in_place = cursor.steps_in_place();
    if (in_place > 0) {
      const unsigned char* from = cursor.take(in_place);
      for (long s = 0; s < in_place; s++, to += kStepBytes, from += kStepK) *(TileLine*)to = *(const TileLine*)from;
      steps -= in_place;
    } else {
      cursor.collect(to);
      to += kStepBytes, steps--;
    }
  }
}

// There are at most 32 rows. With up to 16, the lower tiles are left unchanged, because they are not read.
inline void prepare_byte_block(const void* const* left, long count, long taps, long K, void* scratch,
                               const void** prepared) {
  using namespace byte_blocks;
  const long all = steps(taps * K), padded = count <= kTileSide ? kTileSide : kBlockSide;
  unsigned char* tiles = (unsigned char*)scratch + kHeaderBytes;
  for (long r = 0; r < padded; r++) {
    unsigned char* to = tiles + r / kTileSide * kTileBytes + r % kTileSide * kStepK;
    if (r < count)
      prepare_byte_row({left + r, count, taps, K}, all, to);
    else
      for (long s = 0; s < all; s++) *(TileLine*)(to + s * kStepBytes) = TileLine{};
  }
  *(RowsHeader*)scratch = {int(count)};
  prepared[0] = scratch;
}

// Tiles 0 to 3 hold the block, 4 and 5 the left operand, 6 and 7 the right one. Each is loaded in front of its first
// use: a product takes as long as two loads.
template <class Unit, bool Signed, bool Lower>
class ByteProducts {
 public:
  __attribute__((always_inline)) explicit ByteProducts(Unit& unit) : unit_(unit) {
    unit_.template zero<0>(), unit_.template zero<1>();
    if constexpr (Lower) unit_.template zero<2>(), unit_.template zero<3>();
  }
  __attribute__((always_inline)) void add_step(const unsigned char* a, const unsigned char* b, LinesAhead& lines) {
    constexpr long kRow = byte_blocks::kStepK, kTile = byte_blocks::kTileBytes;
    unit_.template load<4>(a, kRow), unit_.template load<6>(b, kRow);
    multiply<0, 4, 6>();
    unit_.template load<7>(b + kTile, kRow);
    multiply<1, 4, 7>();
    lines.fetch();
    if constexpr (Lower) {
      unit_.template load<5>(a + kTile, kRow);
      multiply<2, 5, 6>(), multiply<3, 5, 7>();
    }
  }
  __attribute__((always_inline)) void store(int* c, long ldc) {
    const long stride = ldc * 4;
    unit_.template store<0>(c, stride), unit_.template store<1>(c + byte_blocks::kTileSide, stride);
    if constexpr (Lower) {
      int* lower = c + byte_blocks::kTileSide * ldc;
      unit_.template store<2>(lower, stride), unit_.template store<3>(lower + byte_blocks::kTileSide, stride);
    }
  }

 private:
  Unit& unit_;

  template <int C, int A, int B>
  __attribute__((always_inline)) void multiply() {
    if constexpr (Signed)
      unit_.template dot_i8<C, A, B>();
    else
      unit_.template dot_u8<C, A, B>();
  }
};

template <class Unit, bool Signed, bool Lower>
static inline __attribute__((always_inline)) void multiply_bytes(const unsigned char* a, const unsigned char* b,
                                                                 long steps, int* c, long ldc, LinesAhead lines) {
  auto&& unit = Unit::of_thread();
  ByteProducts<Unit, Signed, Lower> products(unit);
#pragma GCC unroll 1
  for (long s = 0; s < steps; s++, a += byte_blocks::kStepBytes, b += byte_blocks::kStepBytes)
    products.add_step(a, b, lines);
  products.store(c, ldc);
}

// left[0]: the result of prepare_byte_block for a block of rows. `block` has 32 rows; those beyond the prepared ones
// are undefined.
template <class Unit, bool Signed>
void byte_block_tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long ahead) {
  using namespace byte_blocks;
  const auto* a = (const unsigned char*)left[0] + kHeaderBytes;
  const auto* b = (const unsigned char*)panel;
  const long all = steps(taps * K);
  if (((const RowsHeader*)left[0])->count <= kTileSide)
    multiply_bytes<Unit, Signed, false>(a, b, all, (int*)block, ldc, {panel, ahead});
  else
    multiply_bytes<Unit, Signed, true>(a, b, all, (int*)block, ldc, {panel, ahead});
}

template <class Unit, bool Signed>
constexpr TileSet byte_block_set() {
  return {byte_blocks::kBlockSide,
          byte_blocks::kBlockSide,
          block_table<byte_block_tile<Unit, Signed>>.functions,
          prepare_byte_block,
          [] { Unit::of_thread().configure(); },
          [] { Unit::of_thread().release(); }};
}

}  // namespace cppgen::rt::TILE_ISA
