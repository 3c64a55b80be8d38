// The tables of split tiles: float32 contractions on matrix tiles, from parts in bfloat16 (split_layout.h). No standard
// headers: see tiles.h.
#pragma once

namespace cppgen::rt {

// Prepares a block of at most 32 rows, then computes blocks of 32 columns from it: see split_prepare.h, split_tile.h.
// One part: bfloat16 products. Two: three products of parts. Three: six products, whose error is no larger than that of
// fused multiply-adds in float32. Blocks that two or three parts cannot express - infinities, NaN, numbers or products
// near the ends of float32's range - are summed by fused multiply-adds, in the order of the FMA tiles.
struct SplitTiles {
  void (*prepare)(const void* const* left, long rows, long taps, long depth, void* prepared);
  void (*tile)(const void* const* prepared, long taps, long depth, const void* panel, void* block, long ldc);
};

// Entry p works with p parts; entry 0 is null. amx needs a CPU with AMX, AVX-512 and permission to use tiles;
// emulated_amx runs everywhere, slowly, and gives the same bits.
namespace amx {
extern const SplitTiles split_tiles[4];
}
namespace emulated_amx {
extern const SplitTiles split_tiles[4];
}

}  // namespace cppgen::rt
