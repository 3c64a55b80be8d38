#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace cppgen::rt {

// Contractions through libxsmm's batch-reduce kernels as a library step named "xsmm.contraction", all float32:
//   out[outer..., row, column] = sum over taps and k of left[outer..., row, tap..., k] * right[tap, k,
//   column]
// Buffers: the left operand, panels of the right one, the output. Panels have the layout
// [batch][panel][tap][K][64], where a panel has 64 columns; elements beyond the last column are not read. The left
// operand's K axis and the output's columns have stride 1. The step is cut into chunks by shape alone, and each element
// is summed by one thread in one order.
inline constexpr std::string_view kXsmmContraction = "xsmm.contraction";
inline constexpr int64_t kXsmmPanelColumns = 64;
inline constexpr int64_t kXsmmMostOuterLoops = 6, kXsmmMostTapLoops = 4, kXsmmMostTaps = 1024;

// Strides are in elements; those of the last loop are the fastest. Rows are at least `k` elements apart, unless
// there is only one.
template <class Int>
struct XsmmCall {
  static constexpr int64_t kMost = (int64_t(1) << 48) - 1;

  // `batch` counts batches of panels.
  struct Outer {
    Int extent = 0, left = 0, batch = 0, out = 0;

    template <class V>
    void fields(V& v) {
      v.size("extent of a loop", extent, kMost), v.size("a loop's stride in the left operand", left, kMost);
      v.size("a loop's stride in the panels", batch, kMost), v.size("a loop's stride in the output", out, kMost);
    }
  };
  struct Tap {
    Int extent = 0, left = 0;

    template <class V>
    void fields(V& v) {
      v.size("extent of a loop over taps", extent, kMost), v.size("stride of a loop over taps", left, kMost);
    }
  };

  Int rows = 0, columns = 0, k = 0;
  Int left_start = 0;  // position of the first element that is read
  Int left_row = 0, out_row = 0;
  std::vector<Outer> outer{};
  std::vector<Tap> taps{};

  template <class V>
  void fields(V& v) {
    v.size("rows", rows, kMost), v.size("columns", columns, kMost), v.size("k", k, kMost);
    v.size("start of the left operand", left_start, kMost), v.size("row stride of the left operand", left_row, kMost);
    v.size("row stride of the output", out_row, kMost);
    v.records("outer loops", outer, size_t(kXsmmMostOuterLoops));
    v.records("loops over taps", taps, size_t(kXsmmMostTapLoops));
  }
};

}  // namespace cppgen::rt
