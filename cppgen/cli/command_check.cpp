// cppgen check
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/explain_summary.h"
#include "cppgen/cli/kept_profile.h"
#include "cppgen/cli/ready_model.h"
#include "cppgen/flow/explain.h"
#include "cppgen/flow/stages.h"
#include "cppgen/import/summary.h"
#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

struct Check {
  ModelSummary summary;
  std::optional<Explanation> explanation;  // if the model can be compiled
  std::string reason;                      // otherwise
  std::vector<ops::RefusedNode> refused;   // that are the reason
};

std::string operators_text(const ModelSummary& summary) {
  std::string text;
  for (const auto& [name, count] : summary.operators)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(name));
  return text;
}

// Steps that run on the host, between plans, each once.
std::vector<std::string> host_operators(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Explanation::Step& step : explanation.steps)
    if (step.engine == rt::kHostEngine)
      names.push_back(fmt::format("{} ({})", step.name, fmt::join(step.origins, ", ")));
  return names;
}

std::string check_text(const ExplainOptions& options, const Check& check) {
  std::string text;
  if (!check.explanation)
    text += fmt::format("{}: cannot be compiled\nreason      {}\n", options.model, check.reason);
  else
    text += summary_text(options, *check.explanation);
  text += fmt::format("operators   {}\n", operators_text(check.summary));
  if (!check.explanation) return text;
  if (const auto host = host_operators(*check.explanation); !host.empty())
    text += fmt::format("on host     {}\n", printable_list(host));
  return text + "supported   all nodes\n";
}

std::string check_json(const ExplainOptions& options, const Check& check) {
  Json json;
  json["model"] = options.model;
  json["supported"] = check.explanation.has_value();
  json["reason"] = check.explanation ? Json() : Json(check.reason);
  json["operators"] = Json::object();
  for (const auto& [name, count] : check.summary.operators) json["operators"][name] = count;
  json["unsupported"] = Json::array();
  for (const ops::RefusedNode& node : check.refused)
    json["unsupported"].push_back(
        {{"node", node.name}, {"operator", node.op}, {"opset", node.opset}, {"reason", node.reason}});
  if (check.explanation) {
    json["on_host"] = host_operators(*check.explanation);
    write_summary(json, *check.explanation);
  }
  return json_text(json, 2) + "\n";
}

}  // namespace

ExitCode command_check(const ModelOptions& given, const CancelToken& cancel) {
  if (is_package(given.model)) user_error("check needs the .onnx file, but '{}' is a package", given.model);
  ExplainOptions options;
  static_cast<ModelOptions&>(options) = given;
  const Settings settings = read_settings(options);
  const CompileRequest request = compile_request(options, settings, cancel);
  const ScopedTimeLimit limit(double(settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  Check check;
  check.summary = summarize_onnx(options.model);
  try {
    check.explanation = explain_model(request);
    check.explanation->profile = kept_profile(options, settings, cancel);
  } catch (const ops::UnsupportedNodes& error) {
    check.reason = error.what(), check.refused = error.nodes;
  } catch (const UserError& error) {
    check.reason = error.what();
  }
  print_result(options.json ? check_json(options, check) : for_terminal(check_text(options, check)));
  return check.explanation ? kDone : kUserError;
}

}  // namespace cppgen
