// The tables of register-blocked tiles, one per ISA, each defined in its own translation unit. No standard headers:
// these units are compiled for different instruction sets, and an inline function of a shared header could be kept in
// the wrong one's version.
#pragma once

namespace cppgen::rt {

// c[r * ldc + j] = sum over t < taps, kk < k of a[t * rows + r][kk] * b[(t * k + kk) * NR + j], for r < rows and j <
// NR. c is overwritten. b is a packed panel, aligned to 64 bytes; a and c need no alignment. One accumulator per output
// is summed in the order of (t, kk): the bits depend on nothing else. The products are fused into the sums, except for
// the scalar ISA, which has no such instruction.
using TileFunction = void (*)(const float* const* a, long taps, long k, const float* b, float* c, long ldc);

// Entry `rows` computes that many rows, 1 <= rows <= MR; entry 0 is null.
namespace scalar {
inline constexpr int kTileRows = 4, kTileColumns = 8;
extern const TileFunction tile_f32[kTileRows + 1];
}  // namespace scalar
namespace avx2 {
inline constexpr int kTileRows = 6, kTileColumns = 16;
extern const TileFunction tile_f32[kTileRows + 1];
}  // namespace avx2
namespace avx512 {
inline constexpr int kTileRows = 14, kTileColumns = 32;
extern const TileFunction tile_f32[kTileRows + 1];
}  // namespace avx512

}  // namespace cppgen::rt
