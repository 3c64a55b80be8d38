#include "cppgen/cli/shared/ready_model.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/state_caller.h"
#include "cppgen/cli/shared/tuning.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/compile/versions.h"
#include "cppgen/flow/reference/reference_plan.h"
#include "cppgen/flow/trace/time_table.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/package/package.h"
#include "runtime/plan/module.h"
#include "runtime/values/value_binding.h"

namespace cppgen {
namespace {

bool is_reference(const ModelOptions& options, const Settings& settings) {
  return options.reference || settings.force_native_runtime;
}

void refuse_compiler_options(const ModelOptions& options, const Settings& settings) {
  if (options.reference) require_onnx(options.model, "--reference");
  if (!options.sizes.empty()) require_onnx(options.model, "--sizes");
  if (!options.states.empty()) require_onnx(options.model, "--state");
  if (settings.force_native_runtime) require_onnx(options.model, "FORCE_NATIVE_RUNTIME");
  for (const SettingDescription& setting : settings.describe())
    if (setting.source.starts_with("option") && !setting.running && (setting.in_key || setting.name == "CXX"))
      user_error(
          "the setting {} affects compilation, but '{}' is a package, which is already compiled: "
          "give the .onnx file or remove the setting",
          setting.name, options.model);
}

std::map<std::string, int64_t> package_dims(const ModelOptions& options, const rt::Plan& plan) {
  std::map<std::string, int64_t> bound;
  for (const std::string& text : options.dims) {
    const DimOption dim = parse_dim_option(text);
    if (!dim.size)
      user_error(
          "--dim {} changes a dimension, but '{}' is a package, which is already compiled; --dim NAME=N checks a size",
          text, options.model);
    std::string known;
    for (const rt::Symbol& symbol : plan.symbols) known += (known.empty() ? "" : ", ") + printable(symbol.name);
    if (std::none_of(plan.symbols.begin(), plan.symbols.end(), [&](const auto& s) { return s.name == dim.symbol; }))
      user_error("--dim {}: the package has no dimension '{}'; it has {}", text, dim.symbol,
                 known.empty() ? "none" : known);
    const auto [at, is_new] = bound.emplace(dim.symbol, *dim.size);
    if (!is_new && at->second != *dim.size)
      user_error("--dim gives '{}' both {} and {}", dim.symbol, at->second, *dim.size);
  }
  return bound;
}

void load(ReadyModel& model, const std::string& directory, bool trusted, const Settings& settings) {
  const double begin = seconds_now();
  rt::LoadOptions load_options = rt::LoadOptions::from(settings, trusted);
  load_options.in_own_cache = !model.package;  // or in a temporary folder of this process
  auto executable = rt::Executable::load(directory, load_options);
  rt::SessionOptions options = rt::SessionOptions::from(settings);
  options.before_step = model.before_step;
  options.on_chunks = model.on_chunks;
  model.session = std::make_unique<rt::Session>(std::move(executable), options);
  model.chosen = model.session.get();
  model.load_begin_s = begin, model.load_s = seconds_now() - begin;
}

// A dimension that the command made symbolic may turn out to be fixed by the model's nodes.
void check_fixed_dims(const rt::Plan& plan, const std::map<std::string, int64_t>& bound,
                      const std::vector<DimOption>& options) {
  for (const DimOption& dim : options) {
    const auto size = dim.size ? bound.end() : bound.find(dim.symbol);
    if (size == bound.end()) continue;
    for (const rt::TensorInfo& input : plan.inputs) {
      if (input.name != dim.input) continue;
      const auto& code = input.dims[size_t(dim.axis)].code;
      if (code.size() == 2 && code[0] == int64_t(rt::DimOp::constant) && code[1] != size->second)
        user_error("--dim {}={}: the model requires {} there (input '{}' axis {})", dim.symbol, size->second, code[1],
                   dim.input, dim.axis);
    }
  }
}

void compile_and_load(ReadyModel& model, CompileRequest request, const BeforeKernels& before_kernels) {
  const Settings& settings = request.settings;
  const std::vector<DimOption> dims = request.dims;
  request.before_kernels = [&](const rt::Plan& plan) {
    check_fixed_dims(plan, model.bound, dims);
    if (before_kernels) before_kernels(plan, model.bound);
  };
  model.compiled = compile_with_progress(request);
  try {
    load(model, model.compiled.package, model.compiled.trusted, settings);
  } catch (const UserError& error) {
    // The same is done if another process replaced the package while it was read.
    if (!model.compiled.report.from_cache) throw;
    log_info("the cached package is damaged and is compiled again: {}", error.what());
    request.replace = true;
    model.compiled = compile_with_progress(request);
    load(model, model.compiled.package, model.compiled.trusted, settings);
  }
  check_fixed_dims(model.plan(), model.bound, dims);
  if (model.compiled.report.from_cache && before_kernels) before_kernels(model.plan(), model.bound);
}

void interpret(ReadyModel& model, const CompileRequest& request, const BeforeKernels& before_run) {
  if (request.settings.trace)
    log_warning("TRACE records compilations: the interpreter has none, so nothing is written");
  const ScopedTimeLimit limit(double(request.settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  model.reference = std::make_unique<ReferenceModel>(request);
  model.reference_plan = reference_plan(*model.reference);
  if (before_run) before_run(model.reference_plan, model.bound);
}

// Keys and values of one map are as many.
bool is_size_of_map(const rt::Plan& plan, const rt::DimExpr& dim) {
  if (dim.code.size() != 2 || dim.code[0] != int64_t(rt::DimOp::symbol)) return false;
  return !plan.inputs[size_t(plan.symbols[size_t(dim.code[1])].input)].map_keys.empty();
}

// The options that make dimensions of inputs 1 that are 1 in a run and not by the model.
std::vector<DimOption> ones_among(const rt::Plan& plan, std::span<const rt::Value> inputs) {
  std::vector<DimOption> ones;
  for (size_t i = 0; i < std::min(inputs.size(), plan.inputs.size()); i++) {
    const rt::TensorInfo& info = plan.inputs[i];
    const std::vector<int64_t>* dims = dims_of(inputs[i]);
    if (!dims || dims->size() != info.dims.size()) continue;
    for (size_t axis = 0; axis < dims->size(); axis++) {
      const rt::DimExpr& dim = info.dims[axis];
      if ((*dims)[axis] != 1 || dim.code.at(0) == int64_t(rt::DimOp::constant) || is_size_of_map(plan, dim)) continue;
      const std::string symbol = fmt::format("{}.{}", info.name, axis);
      ones.push_back({info.name, int(axis), symbol, std::nullopt});
      ones.push_back({"", -1, symbol, 1});
    }
  }
  return ones;
}

// The runtime checks that inputs agree with each other; this checks that they agree with --dim.
using DimsOfInput = std::function<std::span<const int64_t>(size_t input)>;

void check_bound(const rt::Plan& plan, const std::map<std::string, int64_t>& bound, size_t inputs,
                 const DimsOfInput& dims_of_input) {
  for (const rt::Symbol& symbol : plan.symbols) {
    const auto it = bound.find(symbol.name);
    if (it == bound.end() || size_t(symbol.input) >= inputs) continue;
    const std::span<const int64_t> dims = dims_of_input(size_t(symbol.input));
    if (size_t(symbol.axis) < dims.size() && dims[size_t(symbol.axis)] != it->second)
      user_error("input '{}' axis {} is {}, but --dim says {}={}", plan.inputs[size_t(symbol.input)].name, symbol.axis,
                 dims[size_t(symbol.axis)], symbol.name, it->second);
  }
}

void check_bound(const rt::Plan& plan, const std::map<std::string, int64_t>& bound, std::span<const rt::Value> inputs) {
  check_bound(plan, bound, inputs.size(), [&](size_t i) {
    const std::vector<int64_t>* dims = dims_of(inputs[i]);
    return dims ? std::span<const int64_t>(*dims) : std::span<const int64_t>();
  });
}

}  // namespace

void check_inputs(const rt::Plan& plan, const std::map<std::string, int64_t>& bound,
                  std::span<const rt::Value> inputs) {
  try {
    check_bound(plan, bound, inputs);
    rt::check_values(plan, inputs);
  } catch (const UserError& error) {
    std::vector<DimOption> ones = ones_among(plan, inputs);
    if (ones.empty()) throw;
    throw DimensionsOfOne(error, std::move(ones));
  }
}

bool is_package(const std::string& model) {
  std::error_code error;
  const auto status = std::filesystem::status(model, error);
  if (!std::filesystem::exists(status)) user_error("model '{}' not found: no such file or directory", model);
  if (!std::filesystem::is_directory(status)) return false;
  if (!std::filesystem::exists(model + "/" + std::string(rt::kManifestFile), error))
    user_error("'{}' is not a package: it has no {}; a model is an .onnx file", model, rt::kManifestFile);
  return true;
}

void require_onnx(const std::string& model, std::string_view what) {
  if (is_package(model))
    user_error("{} needs the .onnx file, but '{}' is a package, which holds compiled code only", what, model);
}

CompileRequest compile_request(const ModelOptions& options, const Settings& settings, const CancelToken& cancel) {
  CompileRequest request;
  request.model = options.model;
  request.settings = settings;
  for (const std::string& text : options.dims) request.dims.push_back(parse_dim_option(text));
  for (const std::string& text : options.states) request.states.push_back(parse_state_option(text));
  for (const std::string& text : options.sizes) request.versions.push_back(parse_sizes(text));
  request.cancel = &cancel;
  return request;
}

std::map<std::string, int64_t> take_sizes_of_new_symbols(CompileRequest& request) {
  std::set<std::string> made;
  for (const DimOption& dim : request.dims)
    if (!dim.size) made.insert(dim.symbol);
  for (const auto& sizes : request.versions)
    for (const auto& [symbol, size] : sizes) made.insert(symbol);
  std::map<std::string, int64_t> sizes;
  std::erase_if(request.dims, [&](const DimOption& dim) {
    if (!dim.size || (!made.contains(dim.symbol) && request.states.empty())) return false;
    const auto [at, is_new] = sizes.emplace(dim.symbol, *dim.size);
    if (!is_new && at->second != *dim.size)
      user_error("--dim gives '{}' both {} and {}", dim.symbol, at->second, *dim.size);
    return true;
  });
  return sizes;
}

CompiledModel compile_with_progress(CompileRequest request) {
  ProgressLine line(request.settings, "reading and scheduling the model");
  const ScopedTimeLimit limit(double(request.settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  request.on_progress = [&](int done, int total) { line.show("compiling kernels", done, total); };
  request.on_decisions = [](const std::string& text) { std::fputs(text.c_str(), stderr); };
  CompiledModel model = compile_model(request);
  if (request.settings.time_compilation) std::fputs(time_table(model.report, printable(request.model)).c_str(), stderr);
  throw_if_cancelled(*request.cancel);
  return model;
}

ReadyModel open_model(const ModelOptions& options, const Settings& settings, const CancelToken& cancel,
                      const BeforeKernels& before_kernels, const rt::ChunkListener& on_chunks) {
  const double begin = seconds_now();
  const auto open = [&](const std::vector<DimOption>& ones) {
    ReadyModel model;
    model.path = options.model;
    model.before_step = [&cancel] { throw_if_cancelled(cancel); };
    model.on_chunks = on_chunks;
    model.package = is_package(options.model);
    if (model.package) {
      refuse_compiler_options(options, settings);
      load(model, options.model, false, settings);
      model.bound = package_dims(options, model.plan());
      return model;
    }
    const bool reference = is_reference(options, settings);
    CompileRequest request = compile_request(options, settings, cancel);
    if (!reference) model.bound = take_sizes_of_new_symbols(request);
    request.dims.insert(request.dims.end(), ones.begin(), ones.end());
    reference ? interpret(model, request, before_kernels) : compile_and_load(model, request, before_kernels);
    return model;
  };
  const auto open_again = [&](const DimensionsOfOne& error) {
    log_info("the inputs require another compilation, for dimensions of 1: {}", error.what());
    try {
      return open(error.ones);
    } catch (const UserError&) {
      throw UserError(error);
    }
  };
  if (!is_package(options.model) && !is_reference(options, settings)) prepare_tunings(options, settings, cancel);
  ReadyModel model;
  try {
    model = open({});
  } catch (const DimensionsOfOne& error) {
    model = open_again(error);
  }
  model.open_s = seconds_now() - begin;
  return model;
}

// A model with states is one plan, so all values are tensors.
static std::vector<rt::Value> run_states(rt::Session& session, std::span<const rt::Value> inputs) {
  std::vector<rt::TensorView> views;
  for (const rt::Value& value : inputs) views.push_back(value.tensor()->view());
  std::vector<rt::Value> results;
  for (rt::Tensor& output : StateCaller(session, views).run()) results.emplace_back(std::move(output));
  return results;
}

std::vector<rt::Tensor> ReadyModel::run(std::span<const rt::TensorView> inputs) const {
  check_bound(plan(), bound, inputs.size(), [&](size_t i) { return inputs[i].dims; });
  if (reference) return reference_runner(*reference, reference_plan, before_step).run(inputs);
  return has_states() ? StateCaller(*session, inputs).run() : session->run(inputs);
}

std::vector<rt::Value> ReadyModel::run_values(std::vector<rt::Value> inputs) const {
  check_bound(plan(), bound, inputs);
  if (has_states()) return run_states(*session, inputs);
  return reference ? reference_runner(*reference, reference_plan, before_step).run_values(std::move(inputs))
                   : session->run_values(std::move(inputs));
}

std::string_view name_of(StepWay way) {
  switch (way) {
    case StepWay::compiled:
      return "compiled";
    case StepWay::library:
      return "library";
    case StepWay::host:
      return "host";
    case StepWay::interpreted:
      return "interpreted";
  }
  internal_error("unknown way of a step");
}

StepWay way_of(const rt::Step& step) {
  if (step.engine == kInterpreterEngine) return StepWay::interpreted;
  if (step.engine == rt::kHostEngine) return StepWay::host;
  return step.kind == rt::StepKind::kernel ? StepWay::compiled : StepWay::library;
}

StepCounts count_steps(const rt::Plan& plan) {
  StepCounts counts;
  for (const rt::Step& step : plan.steps) {
    counts.total++;
    switch (way_of(step)) {
      case StepWay::compiled:
        counts.compiled++;
        break;
      case StepWay::library:
        counts.library++;
        break;
      case StepWay::host:
        counts.host++;
        break;
      case StepWay::interpreted:
        counts.interpreted++;
        break;
    }
  }
  return counts;
}

std::string step_text(const StepCounts& counts) {
  return fmt::format("{}: {} compiled, {} library, {} interpreted, {} on the host", counted(counts.total, "step"),
                     counts.compiled, counts.library, counts.interpreted, counts.host);
}

void write_step_counts(Json& json, const rt::Plan& plan) {
  const StepCounts counts = count_steps(plan);
  Json& ways = json["step_counts"];
  ways["compiled"] = counts.compiled;
  ways["library"] = counts.library;
  ways["host"] = counts.host;
  ways["interpreted"] = counts.interpreted;
}

void write_target(Json& json, const ReadyModel& model) {
  json["isa"] = model.isa();
  json["threads"] = model.threads();
  if (!model.version().empty()) json["version"] = model.version();
}

std::string target_text(const ReadyModel& model) {
  return model.version().empty() ? model.isa() : fmt::format("{}, version {}", model.isa(), printable(model.version()));
}

void write_steps(Json& json, const ReadyModel& model) {
  model.session ? write_steps(json, model.plan(), model.chosen->profile(), model.chosen->labels())
                : write_steps(json, model.plan());
}

void write_steps(Json& json, const rt::Plan& plan, std::span<const rt::StepProfile> profile,
                 std::span<const std::string> labels) {
  write_step_counts(json, plan);
  json["steps"] = Json::array();
  for (size_t i = 0; i < plan.steps.size(); i++) {
    const rt::Step& step = plan.steps[i];
    Json item;
    item["name"] = step.name;
    item["engine"] = step.engine;
    item["kind"] = name_of(way_of(step));
    item["origins"] = step.origins;
    if (i < profile.size() && profile[i].calls > 0) {
      item["label"] = labels.empty() ? step.name : labels[i];
      item["calls"] = profile[i].calls;
      item["ms"] = profile[i].ns / double(profile[i].calls) / 1e6;
      item["gflops_per_s"] = profile[i].gflops_per_second();
      item["gb_per_s"] = profile[i].gb_per_second();
    }
    json["steps"].push_back(std::move(item));
  }
}

}  // namespace cppgen
