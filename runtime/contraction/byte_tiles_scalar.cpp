// Baseline x86-64: its 128-bit vectors.
#include "runtime/contraction/tiles.h"

#define TILE_ISA scalar

namespace cppgen::rt::TILE_ISA {
namespace {
constexpr int kLanes = 4, kTileColumns = 8;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles.h"

namespace cppgen::rt::TILE_ISA {
namespace {

typedef short Words __attribute__((vector_size(16)));

#if defined(__x86_64__)
typedef char HalfBytes __attribute__((vector_size(8)));
typedef char Bytes __attribute__((vector_size(16)));

// Each byte, extended by a byte of its sign bits.
BYTES_FN Words interleave(HalfBytes x, HalfBytes above) {
  const Bytes low = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
  const Bytes high = __builtin_shufflevector(above, above, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
  return (Words)__builtin_ia32_punpcklbw128(low, high);
}
BYTES_FN Words widen_signed(HalfBytes x) { return interleave(x, (HalfBytes)(x < 0)); }
BYTES_FN Words widen_unsigned(HalfBytes x) { return interleave(x, HalfBytes{}); }
BYTES_FN Ints add_pairs(Words a, Words b) { return (Ints)__builtin_ia32_pmaddwd128(a, b); }
#else
typedef signed char HalfBytes __attribute__((vector_size(8)));
typedef unsigned char UnsignedBytes __attribute__((vector_size(8)));
typedef int Products __attribute__((vector_size(32)));

BYTES_FN Words widen_signed(HalfBytes x) { return __builtin_convertvector(x, Words); }
BYTES_FN Words widen_unsigned(HalfBytes x) { return __builtin_convertvector((UnsignedBytes)x, Words); }
BYTES_FN Ints add_pairs(Words a, Words b) {
  const Products p = __builtin_convertvector(a, Products) * __builtin_convertvector(b, Products);
  return __builtin_shufflevector(p, p, 0, 2, 4, 6) + __builtin_shufflevector(p, p, 1, 3, 5, 7);
}
#endif

}  // namespace
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles_words.h"

namespace cppgen::rt::TILE_ISA {

static const TileFunction kUnsigned[] = {nullptr, byte_tile<1, u8>, byte_tile<2, u8>, byte_tile<3, u8>,
                                         byte_tile<4, u8>};
static const TileFunction kSigned[] = {nullptr, byte_tile<1, i8>, byte_tile<2, i8>, byte_tile<3, i8>, byte_tile<4, i8>};
const TileSet tiles_u8s8{4, kTileColumns, kUnsigned};
const TileSet tiles_s8s8{4, kTileColumns, kSigned};

}  // namespace cppgen::rt::TILE_ISA
