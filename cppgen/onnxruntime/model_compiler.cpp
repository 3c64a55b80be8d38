#include "cppgen/onnxruntime/model_compiler.h"

#include <nlohmann/json.hpp>

namespace cppgen::ep {
namespace {

constexpr char kModelName[] = "the model of ONNX Runtime";  // in messages

Model model_of(const WrittenModel& model) { return {model.bytes.data(), model.bytes.size(), kModelName, model.folder}; }

Answer answer_of(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  Answer answer;
  answer.supported = json.at("supported");
  if (answer.supported) {
    answer.milliseconds = json.value("predicted_ms", 0.0);
    answer.boundary_bytes = json.value("inputs_bytes", 0.0) + json.value("outputs_bytes", 0.0);
    for (const char* ports : {"inputs", "outputs"})
      for (const auto& port : json.at(ports))
        if (const auto& dims = port.at("dims"); !dims.is_null()) answer.sizes[port.at("name")] = dims;
    return answer;
  }
  answer.reason = json.at("reason");
  for (const auto& node : json.at("unsupported")) answer.nodes.push_back(node.at("node"));
  return answer;
}

}  // namespace

ModelCompiler::ModelCompiler(const ProviderOptions& options) {
  options_.settings = options.settings;
  options_.dims = options.dims;
  options_.sizes = options.sizes;
  options_.custom_operators = options.custom_operators;
}

Answer ModelCompiler::check(const WrittenModel& model) const {
  try {
    return answer_of(cppgen::check(model_of(model), options_));
  } catch (const Error& error) {
    if (error.status() != CPPGEN_USER_ERROR) throw;
    return {false, error.what(), {}, 0, 0, {}};
  }
}

Package ModelCompiler::compile(const WrittenModel& model) const { return cppgen::compile(model_of(model), options_); }

}  // namespace cppgen::ep
