#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cppgen/import/import.h"
#include "cppgen/import/protos.h"

namespace cppgen::import {

// A model of which parts are written, and who computes and reads its values. Nothing is moved out of the graph.
struct WholeModel {
  // UserError if the nodes have no order. `dims` are the user's options; they change the inputs as in an import.
  WholeModel(onnx::ModelProto, std::string folder, const std::vector<DimOption>& dims);

  onnx::ModelProto shell;  // everything but the graph
  onnx::GraphProto graph;
  std::string folder;      // of external data
  std::vector<int> nodes;  // in topological order, without those of the operator Constant
  std::unordered_map<std::string_view, int> producer;
  std::unordered_map<std::string_view, const onnx::TensorProto*> initializers;
  std::unordered_map<std::string_view, const onnx::SparseTensorProto*> sparse;
  std::unordered_map<std::string_view, const onnx::ValueInfoProto*> inputs, outputs;
  std::vector<std::unordered_set<std::string_view>> reads;         // of each node of the graph
  std::unordered_map<std::string_view, std::vector<int>> readers;  // of each value
};

bool is_constant(const onnx::NodeProto&);

}  // namespace cppgen::import
