#include "runtime/contraction/tiles.h"

#define TILE_ISA avx512

namespace cppgen::rt::TILE_ISA {
namespace {
constexpr int kLanes = 16, kTileColumns = 32;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles.h"

namespace cppgen::rt::TILE_ISA {
namespace {

typedef char HalfBytes __attribute__((vector_size(32)));
typedef short Words __attribute__((vector_size(64)));

BYTES_FN Words widen_signed(HalfBytes x) { return (Words)__builtin_ia32_pmovsxbw512_mask(x, Words{}, -1); }
BYTES_FN Words widen_unsigned(HalfBytes x) { return (Words)__builtin_ia32_pmovzxbw512_mask(x, Words{}, -1); }
BYTES_FN Ints add_pairs(Words a, Words b) { return (Ints)__builtin_ia32_pmaddwd512_mask(a, b, Ints{}, -1); }

}  // namespace
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles_words.h"

namespace cppgen::rt::TILE_ISA {

static const TileFunction kUnsigned[] = {nullptr,          byte_tile<1, u8>, byte_tile<2, u8>, byte_tile<3, u8>,
                                         byte_tile<4, u8>, byte_tile<5, u8>, byte_tile<6, u8>};
static const TileFunction kSigned[] = {nullptr,          byte_tile<1, i8>, byte_tile<2, i8>, byte_tile<3, i8>,
                                       byte_tile<4, i8>, byte_tile<5, i8>, byte_tile<6, i8>};
const TileSet tiles_u8s8{6, kTileColumns, kUnsigned};
const TileSet tiles_s8s8{6, kTileColumns, kSigned};

}  // namespace cppgen::rt::TILE_ISA
