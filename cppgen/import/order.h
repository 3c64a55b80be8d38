#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cppgen/import/protos.h"

namespace cppgen::import {

// Names that a body uses but does not define: those that it captures from enclosing graphs. UserError if bodies are
// nested more deeply than kMaxGraphNesting (`depth` is that of this body, 1 for a body in the model's own graph).
std::unordered_set<std::string_view> free_names(const onnx::GraphProto& body, int depth);

// Everything that a node reads, the names that its bodies capture included; `depth` is that of its graph.
std::unordered_set<std::string_view> names_read(const onnx::NodeProto&, int depth);

// An order of the nodes in which every name is produced before it is used; the file's order if it already has this
// property. Names that none of these nodes produces do not matter. UserError for a name with two producers and for a
// cycle.
std::vector<int> topological_order(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, int depth);

}  // namespace cppgen::import
