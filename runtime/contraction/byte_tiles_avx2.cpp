#include "runtime/contraction/tiles.h"

#define TILE_ISA avx2

namespace cppgen::rt::TILE_ISA {
namespace {
constexpr int kLanes = 8, kTileColumns = 16;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles.h"

namespace cppgen::rt::TILE_ISA {
namespace {

typedef char HalfBytes __attribute__((vector_size(16)));
typedef short Words __attribute__((vector_size(32)));

BYTES_FN Words widen_signed(HalfBytes x) { return (Words)__builtin_ia32_pmovsxbw256(x); }
BYTES_FN Words widen_unsigned(HalfBytes x) { return (Words)__builtin_ia32_pmovzxbw256(x); }
BYTES_FN Ints add_pairs(Words a, Words b) { return (Ints)__builtin_ia32_pmaddwd256(a, b); }

}  // namespace
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles_words.h"

namespace cppgen::rt::TILE_ISA {

static const TileFunction kUnsigned[] = {nullptr, byte_tile<1, u8>, byte_tile<2, u8>, byte_tile<3, u8>};
static const TileFunction kSigned[] = {nullptr, byte_tile<1, i8>, byte_tile<2, i8>, byte_tile<3, i8>};
const TileSet tiles_u8s8{3, kTileColumns, kUnsigned};
const TileSet tiles_s8s8{3, kTileColumns, kSigned};

}  // namespace cppgen::rt::TILE_ISA
