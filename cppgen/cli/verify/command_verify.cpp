// cppgen verify
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/cli/verify/checked_data.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

void check_tolerances(const VerifyOptions& options) {
  for (const auto& [name, value] : {std::pair("--rtol", options.rtol), std::pair("--atol", options.atol)})
    if (value && !(std::isfinite(*value) && *value >= 0))
      user_error("{} {}: expected a number of at least 0", name, *value);
}

std::string report_text(const std::vector<CheckedData>& all, const ReadyModel& model) {
  std::string text;
  size_t agree = 0;
  for (const CheckedData& checked : all) {
    agree += checked.report.ok();
    text += checked.set.path + (checked.version.empty() ? "\n" : fmt::format(" (version {})\n", checked.version));
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

std::string json_of(const std::vector<CheckedData>& all, const ReadyModel& model, bool ok) {
  Json json;
  json["model"] = model.path;
  json["ok"] = ok;
  json["isa"] = model.isa();
  json["threads"] = model.threads();
  json["from_cache"] = model.compiled.report.from_cache;
  json["data_sets"] = Json::array();
  for (const CheckedData& checked : all) {
    Json item;
    item["path"] = checked.set.path;
    item["ok"] = checked.report.ok();
    item["reason"] = checked.report.reason;
    item["run_ms"] = checked.run_s * 1e3;
    if (!checked.version.empty()) item["version"] = checked.version;
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
  const Tolerances tolerances = tolerances_of(options);
  std::vector<CheckedData> all;
  bool ok = true;
  for (const DataSet& set : sets) {
    all.push_back(check_data(model, set, tolerances));
    ok &= all.back().report.ok();
    throw_if_cancelled(cancel);
  }
  print_result(options.json ? json_of(all, model, ok) : for_terminal(report_text(all, model)));
  return ok ? kDone : kCheckFailed;
}

}  // namespace cppgen
