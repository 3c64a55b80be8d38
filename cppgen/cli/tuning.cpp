#include "cppgen/cli/tuning.h"

#include <cstdio>
#include <utility>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/progress_line.h"
#include "cppgen/cli/ready_model.h"
#include "cppgen/flow/isa_choice.h"
#include "cppgen/flow/versions.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {

std::vector<VersionTuning> tune_with_progress(const ModelOptions& options, const Settings& settings,
                                              const CancelToken& cancel) {
  require_onnx(options.model, "tune");
  if (settings.force_native_runtime) user_error("tune measures compiled code: remove FORCE_NATIVE_RUNTIME");
  tune::TuneRequest request;
  request.compile = compile_request(options, settings, cancel);
  request.compile.settings.isa = {std::string(likely_isa(settings).name)};
  for (const auto& [symbol, size] : take_sizes_of_new_symbols(request.compile))
    request.run_dims.push_back(symbol + "=" + std::to_string(size));
  ProgressLine line(settings, "reading and scheduling the model");
  request.on_progress = [&](const std::string& what, int done, int total) { line.show(what, done, total); };
  request.on_line = [](const std::string& text) { std::fprintf(stderr, "%s\n", for_terminal(text).c_str()); };
  const auto versions = std::exchange(request.compile.versions, {});
  if (versions.empty()) return {{"", tune::tune_model(request)}};
  std::vector<VersionTuning> all;
  for (const rt::SymbolSizes& sizes : versions) {
    tune::TuneRequest version = request;
    version.compile = with_sizes(request.compile, sizes);
    all.push_back({rt::name_of(sizes), tune::tune_model(version)});
  }
  return all;
}

bool tunes_first(const Settings& s) {
  return s.max_autotune || s.max_autotune_gemm || s.max_autotune_pointwise || s.autotune_policy == "autotune";
}

}  // namespace cppgen
