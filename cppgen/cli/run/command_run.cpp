// cppgen run, cppgen compile, cppgen seal
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/ready_run.h"
#include "cppgen/flow/data/tensor_values.h"
#include "cppgen/flow/package/package_output.h"
#include "cppgen/flow/trace/trace.h"
#include "cppgen/report/compile_json.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"
#include "runtime/session/profile.h"
#include "runtime/values/test_case.h"

namespace cppgen {
namespace {

std::string_view kind_of(const rt::Value& value) {
  return value.tensor() ? "tensor" : value.strings() ? "strings" : value.sequence() ? "sequence" : "empty";
}

void describe_range(Json& json, const rt::Tensor& tensor) {
  const ValueRange range = range_of(tensor.view());
  if (range.counted > 0) {
    json["min"] = range.min;
    json["mean"] = range.mean;
    json["max"] = range.max;
  }
  if (range.nans > 0) json["nan"] = range.nans;
}

// Adds to an object; `stem` is what the value's files begin with, empty: it has none.
void describe_value(Json& json, const rt::Value& value, const std::string& stem, bool range) {
  json["kind"] = kind_of(value);
  if (const rt::Value::Sequence* elements = value.sequence()) {
    json["length"] = elements->size();
    json["elements"] = Json::array();
    for (size_t k = 0; k < elements->size(); k++) {
      Json item;
      describe_value(item, (*elements)[k], stem.empty() ? stem : fmt::format("{}_{}", stem, k), range);
      json["elements"].push_back(std::move(item));
    }
    return;
  }
  const std::vector<int64_t>* dims = dims_of(value);
  if (!dims) return;
  json["dtype"] = value.strings() ? "string" : name_of(value.tensor()->type());
  json["shape"] = *dims;
  if (!stem.empty()) json["file"] = stem + ".npy";
  if (range && value.tensor()) describe_range(json, *value.tensor());
}

std::string strings_text(const rt::StringTensor& strings) {
  constexpr size_t kShown = 8, kLongest = 40;
  std::string text;
  for (size_t i = 0; i < std::min(strings.elements.size(), kShown); i++) {
    const std::string& element = strings.elements[i];
    text += fmt::format("{}\"{}\"{}", i ? " " : "", printable(element.substr(0, kLongest)),
                        element.size() > kLongest ? "..." : "");
  }
  return strings.elements.size() > kShown ? text + " ..." : text;
}

// A line for each tensor; `file` is what its file's name begins with, empty: the elements are summed up.
std::string value_text(const std::string& name, const rt::Value& value, const std::string& file) {
  if (const rt::Value::Sequence* elements = value.sequence()) {
    std::string text = fmt::format("{}  sequence of {}\n", name, elements->size());
    for (size_t k = 0; k < elements->size(); k++)
      text += value_text(fmt::format("  {}[{}]", name, k), (*elements)[k],
                         file.empty() ? file : fmt::format("{}_{}", file, k));
    return text;
  }
  if (value.is_empty()) return fmt::format("{}  empty optional\n", name);
  const std::string summary = value.strings() ? strings_text(*value.strings()) : summary_text(value.tensor()->view());
  return fmt::format("{}  {} {}  {}\n", name, value.strings() ? "string" : name_of(value.tensor()->type()),
                     rt::shape_text(*dims_of(value)), file.empty() ? summary : file + ".npy");
}

bool has_profile(const ReadyModel& model) {
  if (!model.session) return false;
  const auto profile = model.chosen->profile();
  return !profile.empty() && profile[0].calls > 0;
}

Json timings_json(const ReadyModel& model, double run_s) {
  const CompileReport& report = model.compiled.report;
  Json json;
  json["compile_s"] = report.total_s;
  json["weights_s"] = report.weights_s;
  json["load_s"] = model.load_s;
  json["open_s"] = model.open_s;
  json["run_ms"] = run_s * 1e3;
  json["stages"] = report::stages_json(report);
  return json;
}

std::string run_json(const RunOptions& options, const ReadyModel& model, const std::vector<rt::Value>& inputs,
                     const std::vector<rt::Value>& outputs, double run_s) {
  Json json;
  json["model"] = options.model;
  write_target(json, model);
  json["from_cache"] = model.compiled.report.from_cache;
  json["seed"] = options.seed;
  if (!options.output.empty()) json["directory"] = options.output;
  json["inputs"] = Json::array();
  for (size_t i = 0; i < inputs.size(); i++) {
    Json item;
    item["name"] = model.plan().inputs[i].name;
    describe_value(item, inputs[i], "", false);
    json["inputs"].push_back(std::move(item));
  }
  json["outputs"] = Json::array();
  for (size_t i = 0; i < outputs.size(); i++) {
    Json item;
    item["name"] = model.plan().outputs[i].name;
    describe_value(item, outputs[i], options.output.empty() ? "" : rt::output_file_stem(i), true);
    json["outputs"].push_back(std::move(item));
  }
  json["timings"] = timings_json(model, run_s);
  if (has_profile(model))
    write_steps(json, model);
  else
    write_step_counts(json, model.plan());
  return json_text(json, 2) + "\n";
}

std::string run_text(const RunOptions& options, const ReadyModel& model, const std::vector<rt::Value>& outputs,
                     double run_s) {
  std::string text;
  for (size_t i = 0; i < outputs.size(); i++)
    text += value_text(printable(model.plan().outputs[i].name), outputs[i],
                       options.output.empty() ? "" : options.output + "/" + rt::output_file_stem(i));
  text += fmt::format("{}{}, {}, {}; ready after {}, run {}\n", target_text(model),
                      model.compiled.report.from_cache ? " (from the cache)" : "", counted(model.threads(), "thread"),
                      step_text(count_steps(model.plan())), seconds_text(model.open_s), seconds_text(run_s));
  if (has_profile(model)) text += rt::profile_text(model.plan(), model.chosen->profile(), model.chosen->labels());
  return text;
}

// Only the interpreter takes long enough to need progress output.
std::vector<rt::Value> run_with_progress(const ReadyModel& model, const Settings& settings,
                                         const std::vector<rt::Value>& inputs) {
  if (!model.reference) return model.run_values(inputs);
  const ProgressLine line(settings, "running on the interpreter");
  return model.run_values(inputs);
}

std::vector<rt::Value> run_with_trace(const ReadyRun& run, const Settings& settings,
                                      const std::optional<RunTrace>& trace) {
  try {
    return run_with_progress(run.model, settings, run.inputs);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    if (trace) trace->add_error(error.what());
    throw;
  }
}

}  // namespace

ExitCode command_run(const RunOptions& options, const CancelToken& cancel) {
  const Settings settings = read_settings(options);
  if (!options.output.empty()) require_output_folder(options.output, "--output");
  const ReadyRun run = open_run(options, settings, cancel);
  const ReadyModel& model = run.model;
  const std::vector<rt::Value>& inputs = run.inputs;
  std::optional<RunTrace> trace;
  if (settings.trace && !model.package && !model.reference)
    trace.emplace(trace_folder(settings, options.model), model.plan(), inputs);
  const double begin = seconds_now();
  const std::vector<rt::Value> outputs = with_hint_on_inputs(run, [&] { return run_with_trace(run, settings, trace); });
  const double run_s = seconds_now() - begin;
  throw_if_cancelled(cancel);
  if (trace) trace->add_outputs(outputs);
  if (!options.output.empty()) rt::write_value_case(options.output, model.plan(), inputs, outputs);
  print_result(options.json ? run_json(options, model, inputs, outputs, run_s)
                            : for_terminal(run_text(options, model, outputs, run_s)));
  return kDone;
}

}  // namespace cppgen
