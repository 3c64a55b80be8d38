// Tiles of float32 that also finish their results, as most convolutions and products of networks do: what they may do
// with their sums, and their arguments. Kernels are linked with such tiles (finished_tile.h), which come compiled with
// the compiler, instead of having their compiler unroll a tile and its epilogue again. This header needs no vectors, so
// all rooms can include it.
#pragma once

namespace vec {

// A sum is increased by nothing, a term of its column, or such a term and then another value.
enum class TileTerms { none, columns, columns_and_values };
// The activation of x, the increased sum: x; max(x, 0); min(max(x, 0), most); or x * max(min(x * scale + offset, most),
// 0).
enum class TileActivation { none, relu, clip, hard_swish };

struct TileEnd {
  TileTerms terms;
  TileActivation activation;
  bool operator==(const TileEnd&) const = default;
};

constexpr TileEnd kTileEnds[] = {
    {TileTerms::none, TileActivation::none},
    {TileTerms::none, TileActivation::relu},
    {TileTerms::columns, TileActivation::none},
    {TileTerms::columns, TileActivation::relu},
    {TileTerms::columns, TileActivation::clip},
    {TileTerms::columns, TileActivation::hard_swish},
    {TileTerms::columns_and_values, TileActivation::none},
    {TileTerms::columns_and_values, TileActivation::relu},
};
constexpr int kTileEndCount = sizeof(kTileEnds) / sizeof(kTileEnds[0]);

// Only what the end of a tile reads has to be given. Distances are those between rows, in elements.
struct TileResults {
  const float* terms;   // one for each column of the tile
  const float* values;  // of its first row, and `to` as well
  float* to;
  long values_distance, to_distance;
  long columns;
  float scale, offset, most;
};

// results->to[r * to_distance + j] from the sums over t < taps, k < K of x(t, r, k) * B[t, k, j], for r < rows and
// j < results->columns, at most NR. Sums are in the order of (t, k), in one block. Of even rows, x(t, r, k) is element
// tap_offsets[t] + r * distance + k of `left`, an array of floats; of others, left[t * rows + r][k], and a tap whose
// first pointer is null is skipped. For `panel` and `ahead` see TileFunction (runtime/contraction/tiles.h).
using FinishedTile = void (*)(const void* left, long distance, const long* tap_offsets, long taps, long K,
                              const float* panel, long ahead, const TileResults* results);

// Tiles that differ only in their number of rows have the same number, which is less than kFinishedTiles. Their columns
// are at most those of 1, 2 or 3 vectors.
constexpr int kFinishedVectors = 3, kFinishedTiles = 2 * kFinishedVectors * kTileEndCount;
constexpr int finished_number(bool even_rows, int vectors, int end) {
  return ((even_rows ? 0 : kFinishedVectors) + vectors - 1) * kTileEndCount + end;
}

// All of an instruction set, in vec::<isa>::finished_tiles, by number and rows; null where there is none.
struct FinishedTiles {
  static constexpr int kMostRows = 28;
  FinishedTile of_rows[kFinishedTiles][kMostRows + 1] = {};
};

}  // namespace vec
