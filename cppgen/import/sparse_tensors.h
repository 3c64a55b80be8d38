#pragma once
#include "cppgen/graph/graph.h"
#include "cppgen/import/external_data.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// The dense form of the sparse tensor: zeros except for its values. UserError without a name, which the caller adds.
Tensor import_sparse_tensor(onnx::SparseTensorProto& proto, ExternalData&);

}  // namespace cppgen::import
