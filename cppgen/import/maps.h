#pragma once
#include <set>
#include <string>
#include <string_view>

#include "cppgen/import/protos.h"

namespace cppgen::import {

// A map is two values of a graph, in one order: its keys and what they map to. An input x of a model that is a map is
// two inputs in its place, x.keys and x.values, both of the one dimension x.size.
std::string keys_of_map(const std::string& name);
std::string values_of_map(const std::string& name);

// The operators of ai.onnx.ml that take maps.
bool takes_map(const onnx::NodeProto&);

// Puts keys and values in place of each input that is a map, and gives the names of the maps. UserError, and the graph
// stays as it was, if an input is a map from other than strings or int64 to numbers or strings, or a sequence of maps.
std::set<std::string, std::less<>> split_map_inputs(onnx::GraphProto&);

}  // namespace cppgen::import
