#include "cppgen/import/import.h"

#include <algorithm>
#include <set>
#include <string>

#include "cppgen/import/graph_builder.h"
#include "cppgen/import/maps.h"
#include "cppgen/import/metadata.h"
#include "cppgen/import/unfreeze.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen {
namespace import {
namespace {

constexpr int64_t kMinIrVersion = 3;

std::map<std::string, int> opsets_of(const onnx::ModelProto& model) {
  if (model.ir_version() < kMinIrVersion)
    user_error("IR version {} is not supported; {} or later is required", model.ir_version(), kMinIrVersion);
  std::map<std::string, int> opsets = read_opsets(model.opset_import());
  if (opsets.empty()) user_error("the model imports no operator set");
  if (const auto own = opsets.find(""); own != opsets.end() && own->second > kNewestOpset)
    log_warning(
        "operator set {} of ONNX is newer than {}, the newest one known here: its operators are read as those of the "
        "latter",
        own->second, kNewestOpset);
  return opsets;
}

// InputDims needs to see every input before the first shape is made; what it cannot handle is reported by the builder.
std::vector<const onnx::ValueInfoProto*> shaped_inputs(const onnx::GraphProto& graph) {
  std::vector<const onnx::ValueInfoProto*> shaped;
  for (const auto* input : real_inputs(graph))
    if (input->type().tensor_type().has_shape() && input->type().tensor_type().shape().dim_size() <= kMaxRank)
      shaped.push_back(input);
  return shaped;
}

// Requirements of a branch that is not taken do not constrain the inputs, even if names of dimensions coincide.
bool names_hold(const onnx::GraphProto& graph) {
  return std::none_of(graph.node().begin(), graph.node().end(),
                      [](const auto& node) { return node.op_type() == "If"; });
}

// Until IR version 3 all initializers had to be listed, so that it meant nothing.
std::set<std::string, std::less<>> listed_inputs(const onnx::ModelProto& model) {
  std::set<std::string, std::less<>> names;
  if (model.ir_version() < 4) return names;
  for (const auto& input : model.graph().input()) names.insert(input.name());
  return names;
}

Graph import_model(onnx::ModelProto& model, const std::string& folder, const ImportOptions& options) {
  ModelContext context{ExternalData(folder), opsets_of(model), FunctionTable(model)};
  context.maps = split_map_inputs(*model.mutable_graph());
  Graph graph;
  graph.custom_operators = options.custom_operators;
  InputDims dims(*graph.index, options.dims, shaped_inputs(model.graph()), names_hold(model.graph()));
  context.dims = &dims;
  GraphBuilder(context, nullptr, graph, 0).build(*model.mutable_graph());
  if (!options.freeze) unfreeze(graph, listed_inputs(model));
  verify(graph);
  if (options.record) {
    options.record->external = context.files.files();
    options.record->metadata = metadata_of(model);
    for (auto& entry : types_of_maps(model.graph(), graph)) options.record->metadata.push_back(std::move(entry));
  }
  return graph;
}

}  // namespace
}  // namespace import

Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ImportOptions& options,
                        const std::string& name) {
  try {
    if (options.record)
      options.record->model_sha256 = sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    onnx::ModelProto model = import::parse_model(bytes);
    return import::import_model(model, folder, options);
  } catch (const UserError& e) {
    user_error("{}: {}", name, e.what());
  }
}

Graph import_onnx(const std::string& path, const ImportOptions& options) {
  onnx::ModelProto model;
  try {
    std::string content = import::read_model_file(path);
    if (options.record) options.record->model_sha256 = sha256_hex(content);
    model = import::parse_model(std::as_bytes(std::span(content)));
    content = {};  // parsed: the weights need not be in memory twice
    return import::import_model(model, parent_directory(path), options);
  } catch (const UserError& e) {
    user_error("{}: {}", path, e.what());
  }
}

}  // namespace cppgen
