// cppgen verify
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/model_inputs.h"
#include "cppgen/cli/ready_model.h"
#include "cppgen/flow/compare.h"
#include "cppgen/flow/data_sets.h"
#include "cppgen/import/summary.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

struct Checked {
  DataSet set;
  rt::VerifyReport report;
  double run_s = 0;
};

void check_tolerances(const VerifyOptions& options) {
  for (const auto& [name, value] : {std::pair("--rtol", options.rtol), std::pair("--atol", options.atol)})
    if (value && !(std::isfinite(*value) && *value >= 0))
      user_error("{} {}: expected a number of at least 0", name, *value);
}

// A float32 result of a network that computes in a narrower type is no better than that: two units in the last place of
// 1 in the type, as for results of the type itself.
std::optional<double> narrow_rtol(const VerifyOptions& options) {
  if (options.rtol || is_package(options.model)) return options.rtol;
  const std::optional<DType> narrow = summarize_onnx(options.model).narrow_floats;
  if (!narrow) return std::nullopt;
  return 2 * (*narrow == DType::f16 ? 0x1p-10 : 0x1p-7);
}

ElementTolerance tolerance_of(const VerifyOptions& options) {
  ElementTolerance tolerance;
  tolerance.rtol = options.rtol;
  tolerance.atol = options.atol.value_or(tolerance.atol);
  return tolerance;
}

// Checked in the same way as after a run: expected tensors may be samples of a result, other values may not.
std::vector<rt::Value> inputs_of(const DataSet& set, const rt::Plan& plan) {
  if (!has_tensors_only(plan)) return read_value_set(set, plan).inputs;
  rt::TestCase test = read_data_set(set, plan);
  std::vector<rt::Value> inputs;
  for (rt::Tensor& tensor : test.inputs) inputs.emplace_back(std::move(tensor));
  return inputs;
}

Checked check_values(const ReadyModel& model, const DataSet& set, const VerifyOptions& options) {
  const ValueSet values = read_value_set(set, model.plan());
  const double begin = seconds_now();
  const std::vector<rt::Value> outputs = model.run_values(values.inputs);
  const double run_s = seconds_now() - begin;
  std::vector<std::string> names;
  for (const rt::TensorInfo& info : model.plan().outputs) names.push_back(info.name);
  return {set, compare_values(names, values.outputs, outputs, tolerance_of(options)), run_s};
}

Checked check(const ReadyModel& model, const DataSet& set, const VerifyOptions& options, std::optional<double> rtol) {
  if (!has_tensors_only(model.plan())) return check_values(model, set, options);
  const rt::TestCase test = read_data_set(set, model.plan());
  const double begin = seconds_now();
  const std::vector<rt::Tensor> outputs = model.run(views_of(test.inputs));
  Checked checked{set, {}, seconds_now() - begin};
  if (set.protobuf) {
    checked.report = compare_elements(test.outputs, outputs, tolerance_of(options));
  } else {
    checked.report = rt::compare_outputs(test.outputs, outputs, {rtol, options.atol.value_or(0)});
  }
  return checked;
}

std::string text_of(const rt::OutputReport& output) {
  const std::string name = printable(output.name);
  if (!output.ok && output.compared == 0) return fmt::format("  FAIL {}: {}\n", name, output.reason);
  return fmt::format("  {} {}: max abs error {:.4g}, max|expected| {:.4g}, {} elements{}{}\n",
                     output.ok ? "ok  " : "FAIL", name, output.max_difference, output.max_expected, output.compared,
                     output.ok ? "" : ": ", output.reason);
}

std::string text_of(const std::vector<Checked>& all, const ReadyModel& model) {
  std::string text;
  size_t agree = 0;
  for (const Checked& checked : all) {
    agree += checked.report.ok();
    text += checked.set.path + "\n";
    for (const rt::OutputReport& output : checked.report.outputs) text += text_of(output);
    if (!checked.report.reason.empty()) text += fmt::format("  FAIL {}\n", checked.report.reason);
  }
  return text + fmt::format("{} of {} data sets agree; {}, {}\n", agree, all.size(), model.isa(),
                            step_text(count_steps(model.plan())));
}

Json output_json(const rt::OutputReport& output) {
  Json json;
  json["name"] = output.name;
  json["ok"] = output.ok;
  json["reason"] = output.reason;
  json["max_abs_error"] = output.max_difference;
  json["max_expected"] = output.max_expected;
  json["allowed"] = output.limit;
  json["compared"] = output.compared;
  json["wrong"] = output.wrong;
  return json;
}

std::string json_of(const std::vector<Checked>& all, const ReadyModel& model, bool ok) {
  Json json;
  json["model"] = model.path;
  json["ok"] = ok;
  json["isa"] = model.isa();
  json["threads"] = model.threads();
  json["from_cache"] = model.compiled.report.from_cache;
  json["data_sets"] = Json::array();
  for (const Checked& checked : all) {
    Json item;
    item["path"] = checked.set.path;
    item["ok"] = checked.report.ok();
    item["reason"] = checked.report.reason;
    item["run_ms"] = checked.run_s * 1e3;
    item["outputs"] = Json::array();
    for (const rt::OutputReport& output : checked.report.outputs) item["outputs"].push_back(output_json(output));
    json["data_sets"].push_back(std::move(item));
  }
  write_steps(json, model);
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_verify(const VerifyOptions& options, const CancelToken& cancel) {
  check_tolerances(options);
  const std::vector<DataSet> sets = find_data_sets(options.data);
  const Settings settings = read_settings(options);
  const ReadyModel model = open_model(options, settings, cancel, [&](const rt::Plan& plan, const auto& bound) {
    for (const DataSet& set : sets) check_inputs(plan, bound, inputs_of(set, plan));
  });
  const std::optional<double> rtol = narrow_rtol(options);
  std::vector<Checked> all;
  bool ok = true;
  for (const DataSet& set : sets) {
    all.push_back(check(model, set, options, rtol));
    ok &= all.back().report.ok();
    throw_if_cancelled(cancel);
  }
  print_result(options.json ? json_of(all, model, ok) : text_of(all, model));
  return ok ? kDone : kCheckFailed;
}

}  // namespace cppgen
