// The tables of register-blocked tiles, one per ISA, each defined in its own translation unit. No standard headers:
// these units are compiled for different instruction sets, and an inline function of a shared header could be kept in
// the wrong one's version.
#pragma once

namespace cppgen::rt {

// block[r * ldc + j] = sum over t < taps, k < depth of left[t * rows + r][k] * B[t, k, j], for r < rows and j < NR,
// where `panel` holds B in the layout of the format (formats.h), aligned to 64 bytes. A tap whose first pointer is
// null is left out (float32 tiles only). The block is overwritten; left
// and block need no alignment. Float sums have one accumulator per output, in the order of (t, k): the bits depend on
// nothing else. The products are fused into the sums, except for the scalar ISA, which has no such instruction. Integer
// sums are exact, modulo 2^32.
using TileFunction = void (*)(const void* const* left, long taps, long depth, const void* panel, void* block, long ldc);

// Makes of rows - left[t * rows + r][k], for k < depth - what tiles of the format read: `prepared` takes the place of
// `left`. What it points to lies in scratch of prepared_bytes() (formats.h), aligned to 64 bytes, and may refer to
// `left`.
using PrepareFunction = void (*)(const void* const* left, long rows, long taps, long depth, void* scratch,
                                 const void** prepared);

// The tiles of one format: entry `rows` computes that many rows, 1 <= rows <= mr; entry 0 is null. Where the depth
// comes in blocks (split_layout.h), entry mr + rows adds to the block instead of overwriting it. `prepare` is null
// where tiles read the rows as they are.
struct TileSet {
  int mr = 0, nr = 0;
  const TileFunction* functions = nullptr;
  PrepareFunction prepare = nullptr;
  // Where tiles need a unit of the CPU that is set up: what a thread calls before and after them; else null.
  void (*begin)() = nullptr;
  void (*finish)() = nullptr;
};

// Distance of prepared rows: an odd number of cache lines, so that equal columns of many rows fall into different sets
// of L1.
static inline constexpr __attribute__((always_inline)) long prepared_row_bytes(long depth, long element) {
  return (((depth * element + 63) / 64) | 1) * 64;
}

// block[r * columns + j] = sum over k < depth of x(r, k) * panel[k * columns + j], for r < rows and j < columns, which
// is NR of the format f32, or half of it. x(r, k) is left[r * ld + k], or with contiguous rows left[k * ld + r]. Else
// as above.
using StridedTile = void (*)(const float* left, long ld, long depth, const float* panel, float* block);
// By 2 * rows are contiguous + half the columns; entry `rows` of each computes that many rows, 1 <= rows <= mr.
struct StridedTileSet {
  const StridedTile* functions[4] = {};
};

namespace scalar {
extern const TileSet tiles_f32, tiles_u8s8, tiles_s8s8, tiles_f32_of_f16, tiles_f32_of_bf16, tiles_f32_copied;
extern const StridedTileSet strided_f32;
}  // namespace scalar
namespace avx2 {
extern const TileSet tiles_f32, tiles_f32_wide, tiles_f32_narrow, tiles_u8s8, tiles_s8s8, tiles_f32_of_f16,
    tiles_f32_of_bf16, tiles_f32_copied;
extern const StridedTileSet strided_f32;
}  // namespace avx2
namespace avx512 {
extern const TileSet tiles_f32, tiles_f32_wide, tiles_f32_narrow, tiles_u8s8, tiles_s8s8, tiles_f32_of_f16,
    tiles_f32_of_bf16, tiles_f32_copied;
extern const StridedTileSet strided_f32;
}  // namespace avx512

// Weights of few bits (n_bit_layout.h), one tap: their numbers are exact, sums in float32, in an order that depends on
// the number of rows.
namespace scalar {
extern const TileSet tiles_n_bits, tiles_n_bits_of_f16, tiles_n_bits_of_bf16;
}
namespace avx2 {
extern const TileSet tiles_n_bits, tiles_n_bits_of_f16, tiles_n_bits_of_bf16;
}
namespace avx512 {
extern const TileSet tiles_n_bits, tiles_n_bits_of_f16, tiles_n_bits_of_bf16;
}

namespace avx512_vnni {
extern const TileSet tiles_u8s8, tiles_s8s8;
}

// Products of bfloat16. Of a pair of k - 2i, 2i + 1 - the second product is added first, and denormals, operands or
// sums, are taken for zero: vdpbf16ps knows nothing else.
namespace avx512_bf16 {
extern const TileSet tiles_bf16, tiles_bf16_of_f32;
}

// Contractions on matrix tiles, from parts in bfloat16 (split_layout.h): blocks of up to 32 rows, which are prepared
// first. One part: bfloat16 products. Two: three products of parts. Three: six products, whose error is no larger than
// that of fused multiply-adds in float32. What two or three parts cannot express - infinities, NaN, numbers or products
// near the ends of float32's range - is summed by fused multiply-adds in the order of the float32 tiles. amx needs a
// CPU with AMX and permission to use it; emulated_amx runs everywhere, slowly, and gives the same bits.
// Bytes have exact sums.
namespace amx {
extern const TileSet tiles_split_bf16, tiles_split1, tiles_split2, tiles_split3, tiles_u8s8_block, tiles_s8s8_block;
}
namespace emulated_amx {
extern const TileSet tiles_split_bf16, tiles_split1, tiles_split2, tiles_split3, tiles_u8s8_block, tiles_s8s8_block;
}

}  // namespace cppgen::rt
