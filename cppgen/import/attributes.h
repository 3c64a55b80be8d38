#pragma once
#include <functional>
#include <memory>

#include "cppgen/import/tensors.h"

namespace cppgen::import {

using ImportBody = std::function<std::shared_ptr<Graph>(onnx::GraphProto&)>;

// UserError naming the attribute for kinds that no operator here has: sparse tensors, types, lists of tensors, graphs.
Attribute import_attribute(onnx::AttributeProto&, ExternalData&, const ImportBody&);

// The tensor of a Constant node, whichever attribute gives it.
Tensor constant_of(onnx::NodeProto&, ExternalData&);

}  // namespace cppgen::import
