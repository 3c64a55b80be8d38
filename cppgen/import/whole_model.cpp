#include "cppgen/import/whole_model.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "cppgen/import/order.h"

namespace cppgen::import {
namespace {

// The rules of InputDims, for the file.
void set_dims(onnx::GraphProto& graph, const std::vector<DimOption>& options) {
  std::set<std::string> made;
  for (const DimOption& option : options)
    if (!option.size) made.insert(option.symbol);
  for (auto& input : *graph.mutable_input()) {
    auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < shape.dim_size(); axis++) {
      auto& dim = *shape.mutable_dim(axis);
      for (const DimOption& option : options) {
        const bool named = !dim.has_dim_value() && (dim.dim_param() == option.symbol ||
                                                    fmt::format("{}.{}", input.name(), axis) == option.symbol);
        if (!option.size && option.input == input.name() && option.axis == axis) dim.set_dim_param(option.symbol);
        if (option.size && named && !made.contains(option.symbol)) dim.set_dim_value(*option.size);
      }
    }
  }
}

}  // namespace

bool is_constant(const onnx::NodeProto& node) { return node.op_type() == "Constant" && node.domain().empty(); }

WholeModel::WholeModel(onnx::ModelProto model, std::string of, const std::vector<DimOption>& dims)
    : folder(std::move(of)) {
  graph.Swap(model.mutable_graph());
  model.clear_graph();
  shell = std::move(model);
  set_dims(graph, dims);
  for (int n : topological_order(graph.node(), 0))
    if (!is_constant(graph.node(n))) nodes.push_back(n);
  for (int n = 0; n < graph.node_size(); n++) {
    for (const std::string& out : graph.node(n).output())
      if (!out.empty()) producer[out] = n;
    reads.push_back(names_read(graph.node(n), 0));
    for (std::string_view name : reads.back()) readers[name].push_back(n);
  }
  for (const auto& tensor : graph.initializer()) initializers[tensor.name()] = &tensor;
  for (const auto& tensor : graph.sparse_initializer()) sparse[tensor.values().name()] = &tensor;
  for (const auto& input : graph.input()) inputs[input.name()] = &input;
  for (const auto& output : graph.output()) outputs[output.name()] = &output;
}

}  // namespace cppgen::import
