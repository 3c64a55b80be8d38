#pragma once
#include "cppgen/graph/graph.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// The tensor that the sparse one means: zeros but for its values. UserError without a name: the caller says which
// tensor it was.
Tensor import_sparse_tensor(onnx::SparseTensorProto& proto, ExternalData&);

}  // namespace cppgen::import
