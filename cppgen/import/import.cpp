#include "cppgen/import/import.h"

#include "cppgen/import/graph_builder.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace import {
namespace {

constexpr int64_t kMinIrVersion = 3;

std::map<std::string, int> read_opsets(const onnx::ModelProto& model) {
  if (model.ir_version() < kMinIrVersion)
    user_error("IR version {}: {} or later is needed", model.ir_version(), kMinIrVersion);
  std::map<std::string, int> opsets;
  for (const auto& entry : model.opset_import()) {
    std::string domain = normal_domain(entry.domain());
    int64_t version = entry.version();
    if (domain.empty() && (version < 1 || version > kMaxOpset))
      user_error("operator set {} of ONNX: versions 1 to {} are supported", version, kMaxOpset);
    if (version < 1 || version > 1000000)
      user_error("operator set {} of domain {}: no such version", version, quoted(domain));
    auto [at, added] = opsets.emplace(domain, int(version));
    if (!added && at->second != version)
      user_error("domain {} is imported in versions {} and {}", quoted(domain), at->second, version);
  }
  if (opsets.empty()) user_error("the model imports no operator set");
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

Graph import_model(onnx::ModelProto& model, const std::string& folder, const ImportOptions& options) {
  ModelContext context{ExternalData(folder), read_opsets(model), {}, nullptr};
  for (const auto& function : model.functions())
    context.functions.emplace(normal_domain(function.domain()), function.name());
  Graph graph;
  InputDims dims(*graph.index, options.dims, shaped_inputs(model.graph()));
  context.dims = &dims;
  GraphBuilder(context, nullptr, graph, 0).build(*model.mutable_graph());
  verify(graph);
  return graph;
}

}  // namespace
}  // namespace import

Graph import_onnx_bytes(std::span<const std::byte> bytes, const std::string& folder, const ImportOptions& options,
                        const std::string& name) {
  try {
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
    model = import::parse_model(std::as_bytes(std::span(content)));
    content = {};  // parsed: the weights need not be in memory twice
    return import::import_model(model, parent_directory(path), options);
  } catch (const UserError& e) {
    user_error("{}: {}", path, e.what());
  }
}

}  // namespace cppgen
