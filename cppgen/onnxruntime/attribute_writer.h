#pragma once
#include <vector>

#include "cppgen/onnxruntime/ort_call.h"
#include "cppgen/onnxruntime/protobuf.h"

// Attributes of nodes as AttributeProto.
namespace cppgen::ep {

// All but the bodies. A Failure names an attribute of a type that ONNX Runtime does not pass on.
std::vector<Message> attribute_messages(const ort::Api& api, const ort::Node* node);

Message graph_attribute(const char* name, Message body);

}  // namespace cppgen::ep
