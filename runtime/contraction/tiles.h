// The tables of register-blocked tiles, one per ISA, each defined in its own translation unit. No standard headers:
// these units are compiled for different instruction sets, and an inline function of a shared header could be kept in
// the wrong one's version.
#pragma once

namespace cppgen::rt {

// block[r * ldc + j] = sum over t < taps, k < depth of left[t * rows + r][k] * B[t, k, j], for r < rows and j < NR,
// where `panel` holds B in the layout of the format (formats.h), aligned to 64 bytes. The block is overwritten; left
// and block need no alignment. Float sums have one accumulator per output, in the order of (t, k): the bits depend on
// nothing else. The products are fused into the sums, except for the scalar ISA, which has no such instruction. Integer
// sums are exact, modulo 2^32.
using TileFunction = void (*)(const void* const* left, long taps, long depth, const void* panel, void* block, long ldc);

// The tiles of one format: entry `rows` computes that many rows, 1 <= rows <= mr; entry 0 is null.
struct TileSet {
  int mr = 0, nr = 0;
  const TileFunction* functions = nullptr;
};

// block[r * columns + j] = sum over k < depth of x(r, k) * panel[k * columns + j], for r < rows and j < columns, which
// is NR of the format f32, or half of it. x(r, k) is left[r * ld + k], or with contiguous rows left[k * ld + r]. Else
// as above.
using StridedTile = void (*)(const float* left, long ld, long depth, const float* panel, float* block);
// By 2 * rows are contiguous + half the columns; entry `rows` of each computes that many rows, 1 <= rows <= mr.
struct StridedTileSet {
  const StridedTile* functions[4] = {};
};

namespace scalar {
extern const TileSet tiles_f32, tiles_u8s8, tiles_s8s8;
extern const StridedTileSet strided_f32;
}  // namespace scalar
namespace avx2 {
extern const TileSet tiles_f32, tiles_f32_wide, tiles_f32_narrow, tiles_u8s8, tiles_s8s8;
extern const StridedTileSet strided_f32;
}  // namespace avx2
namespace avx512 {
extern const TileSet tiles_f32, tiles_f32_wide, tiles_f32_narrow, tiles_u8s8, tiles_s8s8;
extern const StridedTileSet strided_f32;
}  // namespace avx512
namespace avx512_vnni {
extern const TileSet tiles_u8s8, tiles_s8s8;
}

}  // namespace cppgen::rt
