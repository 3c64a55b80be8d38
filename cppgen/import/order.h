#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cppgen/import/protos.h"

namespace cppgen::import {

// Names that a body uses and does not define: what it takes from the graphs around it. UserError if bodies nest deeper
// than kMaxGraphNesting (`depth` is that of this body, 1 for a body in the model's own graph).
std::unordered_set<std::string_view> free_names(const onnx::GraphProto& body, int depth);

// Positions of the nodes such that every name is produced before it is used; the file's order where that is already so.
// Names that none of these nodes produces do not matter. UserError for a name with two producers and for a cycle.
std::vector<int> topological_order(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, int depth);

}  // namespace cppgen::import
