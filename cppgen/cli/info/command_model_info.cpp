// cppgen inspect
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/explain/tensor_summary.h"
#include "cppgen/import/summary.h"
#include "cppgen/report/model_json.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"
#include "runtime/package/versions.h"

namespace cppgen {
namespace {

std::string tensor_text(const ModelSummary::Tensor& tensor) {
  std::string dims;
  for (const std::string& dim : tensor.dims) dims += (dims.empty() ? "" : ", ") + printable(dim);
  return fmt::format("  {}  {}{}\n", printable(tensor.name), tensor.type, tensor.has_shape ? " [" + dims + "]" : "");
}

std::string inspect_text(const ModelOptions& options, const ModelSummary& summary) {
  std::string text = fmt::format("{}: graph '{}'\n", options.model, printable(summary.graph_name));
  text += fmt::format("producer    {} {}\n", printable(summary.producer), printable(summary.producer_version));
  text += fmt::format("IR version  {}\nopsets     ", summary.ir_version);
  for (const auto& [domain, version] : summary.opsets)
    text += fmt::format(" {} {}", domain.empty() ? "ai.onnx" : printable(domain), version);
  text += fmt::format("\nparameters  {} ({})\n", summary.parameters, bytes_text(summary.parameter_bytes));
  if (!summary.external_files.empty()) text += fmt::format("weights in  {}\n", printable_list(summary.external_files));
  if (!summary.functions.empty()) text += fmt::format("functions   {}\n", printable_list(summary.functions));
  text += "inputs\n";
  for (const auto& tensor : summary.inputs) text += tensor_text(tensor);
  text += "outputs\n";
  for (const auto& tensor : summary.outputs) text += tensor_text(tensor);
  text += fmt::format("operators   {}\n", counted(int64_t(summary.nodes), "node"));
  for (const auto& [name, count] : summary.operators) text += fmt::format("{:>6}  {}\n", count, printable(name));
  return text;
}

// Those that FREEZING=0 keeps as they are in the model.
std::vector<ModelSummary::Tensor> parameters_of(const rt::Plan& plan) {
  std::vector<rt::TensorInfo> infos;
  for (const rt::Parameter& parameter : plan.parameters) infos.push_back(parameter.info);
  return summaries_of(infos, plan);
}

using VersionRows = std::vector<rt::VersionRow>;

std::string package_text(const ModelOptions& options, const rt::Manifest& manifest, const rt::Plan& plan,
                         const VersionRows& versions) {
  const StepCounts counts = count_steps(plan);
  std::string text = fmt::format("{}: package of '{}'\n", options.model, printable(plan.model));
  text += fmt::format("made by     cppgen {} for {}\n", manifest.cppgen_version, plan.isa);
  text += fmt::format("weights     {}\n", bytes_text(plan.weights_bytes));
  for (const rt::VersionRow& version : versions)
    text += fmt::format("version     {} for {}\n", printable(rt::name_of(version.sizes)), printable(version.isa));
  text += "inputs\n";
  for (const auto& tensor : summaries_of(plan.inputs, plan)) text += tensor_text(tensor);
  text += "outputs\n";
  for (const auto& tensor : summaries_of(plan.outputs, plan)) text += tensor_text(tensor);
  if (!plan.parameters.empty()) text += "parameters that can be replaced\n";
  for (const auto& tensor : parameters_of(plan)) text += tensor_text(tensor);
  text += step_text(counts) + "\n";
  for (const rt::Step& step : plan.steps)
    text += fmt::format("  {} ({}): {}\n", step.name, step.engine, printable_list(step.origins));
  return text;
}

std::string package_json(const ModelOptions& options, const rt::Manifest& manifest, const rt::Plan& plan,
                         const VersionRows& versions) {
  Json json;
  json["model"] = options.model;
  json["kind"] = "package";
  json["graph"] = plan.model;
  json["cppgen_version"] = manifest.cppgen_version;
  json["abi_version"] = manifest.abi_version;
  json["isa"] = plan.isa;
  json["inputs"] = report::tensors_json(summaries_of(plan.inputs, plan));
  json["outputs"] = report::tensors_json(summaries_of(plan.outputs, plan));
  json["weights_bytes"] = plan.weights_bytes;
  json["parameters"] = report::tensors_json(parameters_of(plan));
  for (const rt::VersionRow& version : versions)
    json["versions"].push_back({{"isa", version.isa}, {"sizes", version.sizes}, {"folder", version.folder}});
  write_steps(json, plan);
  return json_text(json, 2) + "\n";
}

// The plan alone: a package for another CPU can be looked at, too.
rt::Plan read_plan(const std::string& package, const rt::Manifest& manifest) {
  const rt::ManifestFile* file = manifest.find(rt::kPlanFile);
  if (!file) user_error("'{}' is damaged: its manifest does not list {}", package, rt::kPlanFile);
  const rt::MappedFile content = rt::open_package_json(package, *file);
  return rt::plan_from_json({content.data(), size_t(content.bytes())});
}

}  // namespace

ExitCode command_inspect(const ModelOptions& options, const CancelToken&) {
  const Settings settings = read_settings(options);
  if (!is_package(options.model)) {
    const ModelSummary summary = summarize_onnx(options.model);
    print_result(options.json ? json_text(report::inspect_json(options.model, summary), 2) + "\n"
                              : for_terminal(inspect_text(options, summary)));
    return kDone;
  }
  const rt::Manifest manifest = rt::read_manifest(options.model);
  const rt::Plan plan = read_plan(options.model, manifest);
  const VersionRows versions = rt::read_versions(options.model, manifest);
  print_result(options.json ? package_json(options, manifest, plan, versions)
                            : for_terminal(package_text(options, manifest, plan, versions)));
  return kDone;
}

}  // namespace cppgen
