#pragma once
#include <cstdint>
#include <span>

#include "runtime/library/library.h"

namespace cppgen::rt {

// Contractions through oneDNN as a library step named "onednn.contraction". Everything is float32. Its parameters are
// the values below, in the order of the enums; its buffers are
//   inputs: activations, weights, then bias [columns] if kHasBias, then an addend of the output's layout if kHasAdd
//   output: max(0, contraction + bias + addend), the maximum only with kHasRelu.
// The step is cut into chunks by shape alone; each chunk is one call of a primitive on one thread. Constant weights
// are reordered once per session into the format that oneDNN prefers. oneDNN allocates a little in every call, so runs
// with such steps are not free of allocations.
inline constexpr std::string_view kOneDnnContraction = "onednn.contraction";

enum OneDnnKind : int64_t { kOneDnnConvolution = 0, kOneDnnMatmul = 1 };
enum OneDnnFlags : int64_t { kHasBias = 1, kHasRelu = 2, kHasAdd = 4 };

// Convolution over 1 to 3 spatial dimensions: activations and output are dense and channels-last, [n][spatial...][c];
// weights are a dense constant [groups][oc / groups][ic / groups][kernel...]. After kConvSpatialDims come seven values
// per spatial dimension.
enum OneDnnConvolutionParam {
  kConvKind,
  kConvFlags,
  kConvN,
  kConvGroups,
  kConvIc,
  kConvOc,
  kConvSpatialDims,
  kConvDims
};
enum OneDnnSpatialParam {
  kConvIn,
  kConvOut,
  kConvKernel,
  kConvStride,
  kConvDilation,
  kConvPadBegin,
  kConvPadEnd,
  kConvSpatialParams
};

// out[b0, b1, m, n] = sum over k of a[b0, b1, m, k] * b[b0, b1, k, n]. Strides are in elements and at least 0; those of
// k and m in `a` and of k and n in `b` are positive, and `out` has column stride 1. A batch stride of 0 repeats. A
// constant `b` without batches (both strides 0) is reordered.
enum OneDnnMatmulParam {
  kMatKind,
  kMatFlags,
  kMatBatch0,
  kMatBatch1,
  kMatM,
  kMatN,
  kMatK,
  kMatABatch0,
  kMatABatch1,
  kMatAM,
  kMatAK,
  kMatBBatch0,
  kMatBBatch1,
  kMatBK,
  kMatBN,
  kMatOutBatch0,
  kMatOutBatch1,
  kMatOutM,
  kMatParams
};

std::span<const LibraryFunction> onednn_functions();

}  // namespace cppgen::rt
