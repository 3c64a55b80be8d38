// cppgen opt
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/reference/numeric_check.h"
#include "cppgen/flow/reference/run_passes.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {

namespace {

void write_or_print(const std::string& file, const std::string& text) {
  if (file.empty()) return print_result(text);
  if (const int error = write_file(file, text)) user_error("{}: cannot be written: {}", file, error_text(error));
}

}  // namespace

ExitCode command_opt(const OptOptions& options, const CancelToken& cancel) {
  if (options.list) {
    std::string text;
    for (const std::string& name : names_of_passes()) text += name + "\n";
    print_result(text);
    return kDone;
  }
  if (options.model.empty()) user_error("opt needs a file: an .onnx file, or a text (docs/ir.md)");
  if (is_package(options.model)) user_error("opt needs a model or a text, but '{}' is a package", options.model);
  require_writable("--output", options.output);
  const Settings settings = read_settings(options);
  const CompileRequest request = compile_request(options, settings, cancel);
  const ScopedTimeLimit limit(double(settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  TextContent it = read_model_or_text(request);
  NumericCheck check(request);
  PassRuns runs{options.passes, options.until, options.verify, options.plans};
  if (settings.passes_numeric_check)
    runs.after = [&](const std::string& pass, const TextContent& now) {
      if (const Graph* graph = std::get_if<Graph>(&now)) check.after_graph_pass(pass, *graph);
    };
  run_chosen_passes(it, runs, settings, [&] { poll(request); });
  write_or_print(options.output, complete_text(it));
  return kDone;
}

}  // namespace cppgen
