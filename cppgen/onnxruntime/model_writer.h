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

// Types of values of which more is known, or assumed, than ONNX Runtime tells.
using KnownTypes = std::map<std::string, TensorType>;

// `nodes` are positions in graph.nodes, in ascending order. Constants are copied into the model, except those in files
// next to ONNX Runtime's model, which it refers to. Dimensions that are symbolic stay symbolic. `more_outputs` are
// values that the nodes write. A Failure says what cannot be written.
WrittenModel write_model(const ort::Api& api, bool tells_ranks, const GraphData& graph,
                         const std::vector<size_t>& nodes, const KnownTypes& types,
                         const std::vector<std::string>& more_outputs = {});

}  // namespace cppgen::ep
