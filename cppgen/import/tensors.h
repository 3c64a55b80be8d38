#pragma once
#include "cppgen/graph/graph.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// Converts a tensor; moves raw data out of `proto` instead of copying it. The number of elements must match `dims`, in
// the one field that the type uses. UserError without a name, which the caller adds.
Tensor import_tensor(onnx::TensorProto& proto, ExternalData&);

// Stores external data in `proto` itself, unchanged. UserError as above.
void make_inline(onnx::TensorProto& proto, ExternalData&);

// The size in bytes of a tensor of this type and these dimensions; UserError for negative, too many or overflowing
// dimensions.
int64_t tensor_bytes(DType, std::span<const int64_t> dims);

}  // namespace cppgen::import
