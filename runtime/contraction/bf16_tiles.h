// Tiles of bfloat16 by bfloat16 with float32 sums. No standard headers: see tiles.h.
#pragma once

namespace cppgen::rt {

// c[r * ldc + j] = sum over t < taps, k < depth of left[t * rows + r][k] * right(t, k, j), for r < rows and j <
// columns. left and right are bfloat16. The panel is [tap][ceil(depth / 2)][column][2], the place behind an odd depth
// zero, and aligned to 64 bytes. One float32 accumulator per output is summed in the order of (t, pair of k); within a
// pair the second product is added first. Denormal operands and sums are taken for zero.
using BFloatTile = void (*)(const void* const* left, long taps, long depth, const void* panel, void* c, long ldc);

namespace avx512_bf16 {
inline constexpr int kTileRows = 14, kTileColumns = 32;
extern const BFloatTile tile_bf16[kTileRows + 1];  // entry `rows` computes that many rows; entry 0 is null
}  // namespace avx512_bf16

}  // namespace cppgen::rt
