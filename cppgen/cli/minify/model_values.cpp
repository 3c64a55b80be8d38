#include "cppgen/cli/minify/model_values.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/disabled_passes.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"
#include "runtime/values/test_case.h"

namespace cppgen {
namespace {

constexpr const char* kTypes = "/types.json";
constexpr int64_t kMostElements = 64;  // of lists of integers that become constants: shapes, axes, repetitions

void write_json(const std::string& path, const Json& json) {
  if (const int error = write_file(path, json_text(json, 1))) user_error("'{}': {}", path, error_text(error));
}

nlohmann::json read_json(const std::string& path) {
  nlohmann::json json = parse_json_or_discard(read_file(path));
  if (!json.is_object()) user_error("'{}' is not a JSON object", path);
  return json;
}

void write_values(const std::string& folder, const rt::Plan& plan, const std::vector<rt::Value>& inputs,
                  const std::vector<rt::Value>& outputs, bool results) {
  rt::write_value_case(folder, plan, inputs, outputs);
  Json types;
  types["results"] = results;
  const auto add = [&](const rt::TensorInfo& info, const rt::Value& value) {
    if (value.tensor()) types["types"][info.name] = name_of(value.tensor()->type());
  };
  for (size_t i = 0; i < inputs.size(); i++) add(plan.inputs[i], inputs[i]);
  for (size_t i = 0; i < outputs.size(); i++) add(plan.outputs[i], outputs[i]);
  write_json(folder + kTypes, types);
}

// Nothing but tensors of constant dimensions.
std::vector<rt::TensorInfo> infos_of(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<rt::TensorInfo> infos;
  for (ValueId v : values) {
    const Value& value = graph.value(v);
    if (!value.type) continue;
    rt::TensorInfo info{value.name, value.type->dtype, {}, 0};
    for (const IndexExpr& dim : value.type->shape)
      if (dim.is_constant()) info.dims.push_back(rt::DimExpr::of(dim.constant()));
    if (info.dims.size() == value.type->shape.size()) infos.push_back(std::move(info));
  }
  return infos;
}

void add_files(const nlohmann::json& entry, std::vector<std::string>& files) {
  if (entry.contains("file")) files.push_back(entry.at("file").get<std::string>());
  if (entry.contains("elements"))
    for (const auto& element : entry.at("elements")) add_files(element, files);
}

std::optional<Tensor> elements_of(const KnownValue& value, const std::string& path) {
  const bool list = is_int(value.type) && size_of(value.type) >= 4 && value.dims.size() <= 1;
  if (!list || rt::element_count(value.dims) > kMostElements) return std::nullopt;
  const rt::Tensor read = rt::read_npy(path, value.type);
  const auto* bytes = read.as<std::byte>();
  return make_tensor(value.type, value.dims, {bytes, bytes + read.bytes()});
}

}  // namespace

void write_reference_values(const TrialOptions& options, const Settings& settings, const CancelToken& cancel) {
  TrialOptions reference = options;
  reference.reference = true;
  std::vector<rt::Value> inputs;
  const ReadyModel model = open_model(reference, settings, cancel, [&](const rt::Plan& plan, const auto& bound) {
    inputs = make_values(plan, options.inputs, bound, options.seed, settings.max_memory);
    check_inputs(plan, bound, inputs);
  });
  write_values(options.values, model.plan(), inputs, model.run_values(inputs), true);
}

void write_random_values(const TrialOptions& options, const Settings& settings, const CancelToken& cancel) {
  CompileRequest request = compile_request(options, settings, cancel);
  request.settings.disable_passes = optional_passes();
  StageClock clock(&request);
  const Graph graph = read_and_simplify(request, clock);
  rt::Plan plan, values;
  plan.inputs = infos_of(graph, graph.inputs);
  if (plan.inputs.size() != graph.inputs.size())
    user_error("some inputs have dimensions without a size: give --dim NAME=N");
  plan.outputs = values.inputs = infos_of(graph, graph.outputs);
  std::vector<rt::Value> outputs;
  for (rt::Tensor& tensor : rt::random_inputs(values, {}, options.seed, settings.max_memory))
    outputs.emplace_back(std::move(tensor));
  write_values(options.values, plan, make_values(plan, options.inputs, {}, options.seed, settings.max_memory), outputs,
               false);
}

bool holds_results(const std::string& folder) { return !read_json(folder + "/io.json").at("outputs").empty(); }

ModelValues::ModelValues(std::string folder) : folder_(std::move(folder)) {
  const nlohmann::json io = read_json(folder_ + "/io.json"), types = read_json(folder_ + kTypes);
  results_ = types.at("results").get<bool>();
  for (const char* list : {"inputs", "outputs"}) {
    for (const auto& entry : io.at(list)) {
      const auto name = entry.at("name").get<std::string>();
      entries_[name] = json_text(entry, -1);
      const auto type = types.at("types").find(name);
      if (type == types.at("types").end()) continue;
      KnownValue value{*dtype_from_name(type->get<std::string>()), entry.at("shape").get<std::vector<int64_t>>()};
      value.elements = elements_of(value, folder_ + "/" + entry.at("file").get<std::string>());
      known_.emplace(name, std::move(value));
    }
  }
}

std::string ModelValues::file_of(const std::string& name) const {
  return parse_json(entries_.at(name)).value("file", "");
}

void ModelValues::write(const CutModel& cut, const std::string& folder) const {
  nlohmann::json io{{"inputs", nlohmann::json::array()}, {"outputs", nlohmann::json::array()}};
  std::vector<std::string> files;
  const auto add = [&](const char* list, const std::string& name) {
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) user_error("the value '{}' of the model is not known", printable(name));
    io[list].push_back(parse_json(entry->second));
    add_files(io[list].back(), files);
  };
  for (const std::string& name : cut.inputs) add("inputs", name);
  if (results_)
    for (const std::string& name : cut.outputs) add("outputs", name);
  for (const std::string& file : files) {
    std::error_code error;
    std::filesystem::create_hard_link(folder_ + "/" + file, folder + "/" + file, error);
    if (error) std::filesystem::copy_file(folder_ + "/" + file, folder + "/" + file, error);
    if (error) user_error("'{}/{}' cannot be written: {}", folder, file, error.message());
  }
  if (const int error = write_file(folder + "/io.json", json_text(io, 1) + "\n"))
    user_error("'{}/io.json' cannot be written: {}", folder, error_text(error));
}

}  // namespace cppgen
