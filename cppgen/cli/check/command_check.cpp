// cppgen check
#include <fmt/format.h>

#include "cppgen/cli/explain/explain_summary.h"
#include "cppgen/cli/profile/kept_profile.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/report/explained_totals.h"
#include "cppgen/report/model_json.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::string operators_text(const ModelSummary& summary) {
  std::string text;
  for (const auto& [name, count] : summary.operators)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(name));
  return text;
}

std::string check_text(const ExplainOptions& options, const report::ModelCheck& check) {
  std::string text;
  if (!check.explanation)
    text += fmt::format("{}: cannot be compiled\nreason      {}\n", options.model, check.reason);
  else
    text += summary_text(options, *check.explanation);
  text += fmt::format("operators   {}\n", operators_text(check.summary));
  if (!check.explanation) return text;
  if (const auto host = report::host_operators(*check.explanation); !host.empty())
    text += fmt::format("on host     {}\n", printable_list(host));
  return text + "supported   all nodes\n";
}

}  // namespace

ExitCode command_check(const ModelOptions& given, const CancelToken& cancel) {
  if (is_package(given.model)) user_error("check needs the .onnx file, but '{}' is a package", given.model);
  ExplainOptions options;
  static_cast<ModelOptions&>(options) = given;
  const Settings settings = read_settings(options);
  const CompileRequest request = compile_request(options, settings, cancel);
  const ScopedTimeLimit limit(double(settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  report::ModelCheck check = report::check_model(request);
  if (check.explanation) check.explanation->profile = kept_profile(options, settings, cancel);
  print_result(options.json ? json_text(report::check_json(options.model, check), 2) + "\n"
                            : for_terminal(check_text(options, check)));
  return check.explanation ? kDone : kUserError;
}

}  // namespace cppgen
