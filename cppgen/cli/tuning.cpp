#include "cppgen/cli/tuning.h"

#include <cstdio>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/progress_line.h"
#include "cppgen/cli/ready_model.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {

tune::TuneReport tune_with_progress(const ModelOptions& options, const Settings& settings, const CancelToken& cancel) {
  require_onnx(options.model, "tune");
  if (settings.force_native_runtime) user_error("tune measures compiled code: remove FORCE_NATIVE_RUNTIME");
  tune::TuneRequest request;
  request.compile = compile_request(options, settings, cancel);
  for (const auto& [symbol, size] : take_sizes_of_new_symbols(request.compile))
    request.run_dims.push_back(symbol + "=" + std::to_string(size));
  ProgressLine line(settings, "reading and scheduling the model");
  request.on_progress = [&](const std::string& what, int done, int total) { line.show(what, done, total); };
  request.on_line = [](const std::string& text) { std::fprintf(stderr, "%s\n", for_terminal(text).c_str()); };
  return tune::tune_model(request);
}

bool tunes_first(const Settings& s) {
  return s.max_autotune || s.max_autotune_gemm || s.max_autotune_pointwise || s.autotune_policy == "autotune";
}

}  // namespace cppgen
