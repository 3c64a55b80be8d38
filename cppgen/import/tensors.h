#pragma once
#include "cppgen/graph/graph.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// Converts a tensor; takes raw data out of `proto` instead of copying it. Elements must be as many as `dims` says, in
// the one field that the type uses. UserError without a name: the caller says which tensor it was.
Tensor import_tensor(onnx::TensorProto& proto, ExternalData&);

// Bytes that a tensor of this type and these dimensions takes; UserError for negative, too many or overflowing ones.
int64_t tensor_bytes(DType, std::span<const int64_t> dims);

}  // namespace cppgen::import
