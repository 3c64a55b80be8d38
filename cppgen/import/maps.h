#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// A map is two values of a graph in the same order: its keys and its values. An input x of a model that is a map is two
// inputs in its place, x.keys and x.values, both of the one dimension x.size.
std::string keys_of_map(const std::string& name);
std::string values_of_map(const std::string& name);

// The operators of ai.onnx.ml that accept maps.
bool takes_map(const onnx::NodeProto&);

// Replaces each input that is a map by its keys and values, and returns the names of the maps. UserError, with the
// graph unchanged, if an input is a map of a type other than from strings or int64 to numbers or strings, or a sequence
// of maps.
std::set<std::string, std::less<>> split_map_inputs(onnx::GraphProto&);

// "type:NAME" and "seq(map(string,tensor(float)))" for each output of the model that is a sequence of maps, which the
// graph has as a sequence of two tensors. Callers learn from these entries to make maps of it.
std::vector<std::pair<std::string, std::string>> types_of_maps(const onnx::GraphProto&, const Graph&);

}  // namespace cppgen::import
