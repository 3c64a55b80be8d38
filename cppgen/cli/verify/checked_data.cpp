#include "cppgen/cli/verify/checked_data.h"

#include <fmt/format.h>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "cppgen/flow/data/compare.h"
#include "cppgen/import/summary.h"

namespace cppgen {
namespace {

// A float32 result of a network that computes in a narrower type is no better than that: two units in the last place of
// 1 in the type, as for results of the type itself.
std::optional<double> narrow_rtol(const VerifyOptions& options) {
  if (options.rtol || is_package(options.model)) return options.rtol;
  const std::optional<DType> narrow = summarize_onnx(options.model).narrow_floats;
  if (!narrow) return std::nullopt;
  return 2 * (*narrow == DType::f16 ? 0x1p-10 : 0x1p-7);
}

ElementTolerance element_tolerance(const Tolerances& tolerances) {
  ElementTolerance tolerance;
  tolerance.rtol = tolerances.rtol;
  tolerance.atol = tolerances.atol.value_or(tolerance.atol);
  return tolerance;
}

template <class Inputs>
std::string version_for(const ReadyModel& model, const Inputs& inputs) {
  return model.session ? model.session->version_for(std::span(inputs)).executable().version() : "";
}

CheckedData check_values(const ReadyModel& model, const DataSet& set, const Tolerances& tolerances) {
  const ValueSet values = read_value_set(set, model.plan());
  const double begin = seconds_now();
  const std::vector<rt::Value> outputs = model.run_values(values.inputs);
  const double run_s = seconds_now() - begin;
  std::vector<std::string> names;
  for (const rt::TensorInfo& info : model.plan().outputs) names.push_back(info.name);
  return {set, compare_values(names, values.outputs, outputs, element_tolerance(tolerances)), run_s,
          version_for(model, values.inputs)};
}

}  // namespace

Tolerances tolerances_of(const VerifyOptions& options) { return {options.rtol, options.atol, narrow_rtol(options)}; }

CheckedData check_data(const ReadyModel& model, const DataSet& set, const Tolerances& tolerances) {
  if (!has_tensors_only(model.plan())) return check_values(model, set, tolerances);
  const rt::TestCase test = read_data_set(set, model.plan());
  const double begin = seconds_now();
  const std::vector<rt::TensorView> inputs = views_of(test.inputs);
  const std::vector<rt::Tensor> outputs = model.run(inputs);
  CheckedData checked{set, {}, seconds_now() - begin, version_for(model, inputs)};
  if (set.protobuf) {
    checked.report = compare_elements(test.outputs, outputs, element_tolerance(tolerances));
  } else {
    checked.report = rt::compare_outputs(test.outputs, outputs, {tolerances.json_rtol, tolerances.atol.value_or(0)});
  }
  return checked;
}

std::vector<rt::Value> inputs_of(const DataSet& set, const rt::Plan& plan) {
  if (!has_tensors_only(plan)) return read_value_set(set, plan).inputs;
  rt::TestCase test = read_data_set(set, plan);
  std::vector<rt::Value> inputs;
  for (rt::Tensor& tensor : test.inputs) inputs.emplace_back(std::move(tensor));
  return inputs;
}

std::string text_of(const rt::OutputReport& output) {
  const std::string name = printable(output.name);
  if (!output.ok && output.compared == 0) return fmt::format("  FAIL {}: {}\n", name, output.reason);
  return fmt::format("  {} {}: max abs error {:.4g}, max|expected| {:.4g}, {} elements{}{}\n",
                     output.ok ? "ok  " : "FAIL", name, output.max_difference, output.max_expected, output.compared,
                     output.ok ? "" : ": ", output.reason);
}

}  // namespace cppgen
