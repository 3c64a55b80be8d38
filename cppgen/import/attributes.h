#pragma once
#include <functional>
#include <memory>

#include "cppgen/import/tensors.h"

namespace cppgen::import {

using ImportBody = std::function<std::shared_ptr<Graph>(onnx::GraphProto&)>;

// UserError naming the attribute for kinds that no supported operator has: sparse tensors, types, lists of tensors,
// graphs.
Attribute import_attribute(onnx::AttributeProto&, ExternalData&, const ImportBody&);

// The tensor of a Constant node, from whichever attribute has it.
Tensor constant_of(onnx::NodeProto&, ExternalData&);

}  // namespace cppgen::import
