#include "cppgen/import/metadata.h"

namespace cppgen::import {

std::vector<std::pair<std::string, std::string>> metadata_of(const onnx::ModelProto& model) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto add = [&](std::string key, std::string value) {
    if (!value.empty()) entries.emplace_back(std::move(key), std::move(value));
  };
  add("ir_version", std::to_string(model.ir_version()));
  add("producer_name", model.producer_name());
  add("producer_version", model.producer_version());
  add("domain", model.domain());
  if (model.has_model_version()) add("model_version", std::to_string(model.model_version()));
  add("doc_string", model.doc_string());
  add("graph_name", model.graph().name());
  add("graph_doc_string", model.graph().doc_string());
  for (const auto& opset : model.opset_import())
    add("opset:" + (opset.domain().empty() ? "ai.onnx" : opset.domain()), std::to_string(opset.version()));
  for (const auto& property : model.metadata_props())
    entries.emplace_back("metadata:" + property.key(), property.value());
  return entries;
}

}  // namespace cppgen::import
