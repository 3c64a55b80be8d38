#pragma once
#include <map>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/graph_reader.h"

namespace cppgen::ep {

// Some nodes of a graph as an ONNX model of their own.
struct WrittenModel {
  std::string bytes;   // of the .onnx file
  std::string folder;  // of the model that ONNX Runtime loaded, with its external data; "" if it is not known
  Boundary boundary;   // inputs and outputs of the model, in their order
};

// Numbers of dimensions, by value, that are assumed where ONNX Runtime does not know them.
using AssumedRanks = std::map<std::string, int>;

// `nodes` are positions in graph.nodes, in ascending order. Constants are copied into the model, except those in files
// next to ONNX Runtime's model, which it refers to. Dimensions that are symbolic stay symbolic. A Failure says what
// cannot be written.
WrittenModel write_model(const ort::Api& api, bool tells_ranks, const GraphData& graph,
                         const std::vector<size_t>& nodes, const AssumedRanks& ranks = {});

}  // namespace cppgen::ep
