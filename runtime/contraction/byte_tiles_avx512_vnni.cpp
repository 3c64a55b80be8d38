#include "runtime/contraction/tiles.h"

#define TILE_ISA avx512_vnni

namespace cppgen::rt::TILE_ISA {
namespace {
constexpr int kLanes = 16;
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

const TileSet tiles_u8s8 = byte_set<14, 2, false>();
const TileSet tiles_s8s8 = byte_set<12, 2, true>();
// These load fewer vectors per product.
const TileSet tiles_u8s8_wide = byte_set<6, 4, false>();
const TileSet tiles_s8s8_wide = byte_set<5, 4, true>();

}  // namespace cppgen::rt::TILE_ISA
