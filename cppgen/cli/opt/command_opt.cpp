// cppgen opt
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/reference/run_passes.h"
#include "runtime/base/errors.h"

namespace cppgen {

ExitCode command_opt(const OptOptions& options, const CancelToken& cancel) {
  if (options.list) {
    std::string text;
    for (const std::string& name : names_of_passes()) text += name + "\n";
    print_result(text);
    return kDone;
  }
  if (options.model.empty()) user_error("opt needs a file: an .onnx file, or a text (docs/ir.md)");
  if (is_package(options.model)) user_error("opt needs a model or a text, but '{}' is a package", options.model);
  const Settings settings = read_settings(options);
  const CompileRequest request = compile_request(options, settings, cancel);
  const ScopedTimeLimit limit(double(settings.compile_timeout_seconds) + 0.5, timeout_text(request));
  TextContent it = read_model_or_text(request);
  run_chosen_passes(it, {options.passes, options.until, options.verify, options.plans}, settings,
                    [&] { poll(request); });
  print_result(complete_text(it));
  return kDone;
}

}  // namespace cppgen
