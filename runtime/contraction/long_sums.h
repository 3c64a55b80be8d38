// Sums over a long K. No standard headers: see tiles.h.
//
// Each addition of float32 rounds in proportion to the sum so far, so a single accumulator for a long K loses
// digits: of 65,536 equal products, more than half of its decimal ones. Tiles therefore sum at most kWholeTerms
// products at once. Of more, they sum blocks by themselves: as many whole taps as have at most kWholeTerms products,
// or, of a tap that has more, kBlockTerms products. They add the sums of at most kGroupBlocks blocks to each other, and
// the sums of these groups to each other. The error of a sum of K products is at most K * 2^-24, or, with the terms T
// of a block,
//   (T + kGroupBlocks + K / (kBlockTerms * kGroupBlocks) + 2) * 2^-24,
// times the sum of the absolute values of the products. Blocks depend on K alone, so tiles in memory and those
// that kernels hold in registers, which are never deeper than kWholeTerms, give the same bits.
#pragma once

#include "runtime/contraction/sum_terms.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {

constexpr long kGroupBlocks = 64;

// Does what a TileFunction does, for a part of a panel whose slices are so many elements apart.
using BlockFunction = void (*)(const void* const* left, long taps, long K, const void* panel, long distance,
                               void* block, long ldc, long ahead);

// Tiles of a fixed number of rows that sum one block.
struct BlockTile {
  BlockFunction first, next;  // overwrites the results, adds to them
  int rows, columns;
  // The bytes of one step of K (of a slice of the panel), and the number of steps that are adjacent in panels
  // (formats.h).
  long left_bytes, panel_bytes;
  int k_group;
};

// Computes the tile block by block.
void sum_blocks(const BlockTile&, const void* const* left, long taps, long K, const void* panel, long distance,
                float* results, long ldc, long ahead);

}  // namespace cppgen::rt
