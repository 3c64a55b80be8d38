#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Contractions through libxsmm's batch-reduce kernels as a library step named "xsmm.contraction", all float32:
//   out[outer..., row, column] = sum over taps and depth of left[outer..., row, tap..., depth] * right[tap, depth,
//   column]
// Buffers: the left operand, panels of the right one, the output. Panels lie as [batch][panel][tap][depth][64], a panel
// being 64 columns; what lies beyond the last column is not read. The left operand's depth and the output's columns
// have stride 1. The step is cut into chunks by shape alone, and each element is summed by one thread in one order.
inline constexpr std::string_view kXsmmContraction = "xsmm.contraction";
inline constexpr int64_t kXsmmPanelColumns = 64;
inline constexpr int64_t kXsmmMostOuterLoops = 6, kXsmmMostTapLoops = 4, kXsmmMostTaps = 1024;

// Parameters, strides in elements. After these come kXsmmOuterParams for each outer loop, the last one fastest, then
// kXsmmTapParams for each loop over taps, likewise. Rows are at least `depth` elements apart, unless there is one.
enum XsmmParam : int64_t {
  kXsmmRows,
  kXsmmColumns,
  kXsmmDepth,
  kXsmmLeftStart,  // of the first element that is read
  kXsmmLeftRow,
  kXsmmOutRow,
  kXsmmOuterLoops,  // how many
  kXsmmTapLoops,
  kXsmmParams
};
enum XsmmOuterParam : int64_t { kXsmmExtent, kXsmmLeft, kXsmmBatch, kXsmmOut, kXsmmOuterParams };  // batches of panels
enum XsmmTapParam : int64_t { kXsmmTapExtent, kXsmmTapLeft, kXsmmTapParams };

// float32 lanes of the vectors that libxsmm uses in this process; 0 if it has no kernels for this CPU.
int xsmm_lanes();

std::span<const LibraryFunction> xsmm_functions();

}  // namespace cppgen::rt
