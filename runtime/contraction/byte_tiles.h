// Code that the tiles over bytes share, for translation units that define TILE_ISA and kLanes (32-bit lanes of a
// register) before they include this file. A panel is [tap][ceil(K / 4)][columns][4] bytes, signed, zero beyond
// K: four steps of K of a column are adjacent.
#pragma once

#define BYTES_FN inline __attribute__((always_inline))

namespace cppgen::rt::TILE_ISA {
namespace {

constexpr long kGroup = 4;

typedef signed char i8;
typedef unsigned char u8;
typedef int Ints __attribute__((vector_size(4 * kLanes)));
typedef int UnalignedInts __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
typedef int UnalignedInt __attribute__((aligned(1), may_alias));

BYTES_FN int load_group(const u8* p) { return *(const UnalignedInt*)p; }

// The last `count` < 4 bytes of a row, with zeros above: nothing after them is read.
BYTES_FN int load_rest(const u8* p, long count) {
  unsigned value = p[0];
  if (count > 1) value |= unsigned(p[1]) << 8;
  if (count > 2) value |= unsigned(p[2]) << 16;
  return int(value);
}

BYTES_FN void store(int* p, Ints x) { *(UnalignedInts*)p = x; }

}  // namespace
}  // namespace cppgen::rt::TILE_ISA
