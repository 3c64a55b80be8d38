#include "runtime/contraction/tiles.h"

#define TILE_ISA avx512_vnni

namespace cppgen::rt::TILE_ISA {
namespace {
constexpr int kLanes = 16, kTileColumns = 32;
}
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles.h"

namespace cppgen::rt::TILE_ISA {
namespace {

// Does not saturate, unlike vpdpbusds.
BYTES_FN Ints dot(Ints sums, Ints unsigned_bytes, Ints signed_bytes) {
  return __builtin_ia32_vpdpbusd_v16si(sums, unsigned_bytes, signed_bytes);
}

}  // namespace
}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/byte_tiles_dot.h"

namespace cppgen::rt::TILE_ISA {

static const TileFunction kUnsigned[] = {nullptr,
                                         byte_tile<1, false>,
                                         byte_tile<2, false>,
                                         byte_tile<3, false>,
                                         byte_tile<4, false>,
                                         byte_tile<5, false>,
                                         byte_tile<6, false>,
                                         byte_tile<7, false>,
                                         byte_tile<8, false>,
                                         byte_tile<9, false>,
                                         byte_tile<10, false>,
                                         byte_tile<11, false>,
                                         byte_tile<12, false>,
                                         byte_tile<13, false>,
                                         byte_tile<14, false>};
static const TileFunction kSigned[] = {nullptr,
                                       byte_tile<1, true>,
                                       byte_tile<2, true>,
                                       byte_tile<3, true>,
                                       byte_tile<4, true>,
                                       byte_tile<5, true>,
                                       byte_tile<6, true>,
                                       byte_tile<7, true>,
                                       byte_tile<8, true>,
                                       byte_tile<9, true>,
                                       byte_tile<10, true>,
                                       byte_tile<11, true>,
                                       byte_tile<12, true>};
const TileSet tiles_u8s8{14, kTileColumns, kUnsigned};
const TileSet tiles_s8s8{12, kTileColumns, kSigned};

}  // namespace cppgen::rt::TILE_ISA
