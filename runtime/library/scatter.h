#pragma once
#include <memory>

#include "runtime/library/combine.h"
#include "runtime/library/library.h"

namespace cppgen::rt {

// A copy of data with updates applied: ONNX's ScatterElements and ScatterND. UserError for indices out of range; less
// than 0: counted from the end.
//   inputs:  data, indices (int64), updates of data's type (float32, float64, integers or bool; replace: any)
//   outputs: of data's type and shape
// Parameters of scatter_elements: these, the dimensions of the data, then those of indices and updates.
enum ScatterElementsParam { kScatterDType, kScatterCombine, kScatterAxis, kScatterDims };
// Parameters of scatter_nd: type, combine, the number of updates, the elements of each, then the addressed dimensions.
enum ScatterNdParam { kScatterRows = kScatterAxis, kScatterSlice, kScatterAddressed };

std::unique_ptr<LibraryOperator> create_scatter_elements(const LibraryCall&);
std::unique_ptr<LibraryOperator> create_scatter_nd(const LibraryCall&);

}  // namespace cppgen::rt
