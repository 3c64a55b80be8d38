#include "cppgen/cli/shared/tuning.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/versions.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/plan/sample_sizes.h"
#include "runtime/values/random_inputs.h"

namespace cppgen {
namespace {

constexpr const char* kUseCaches = "remove FORCE_DISABLE_CACHES and KERNEL_CACHE=0";

bool may_use_results(const Settings& s) { return !s.force_disable_caches && s.kernel_cache; }

// Measurements run the model.
void require_tuned_sizes(const rt::Plan& plan, std::map<std::string, int64_t> sizes) {
  rt::add_sizes_of_maps(plan, sizes);
  for (const rt::Symbol& symbol : plan.symbols)
    if (!sizes.contains(symbol.name))
      user_error("the dimension '{0}' (input '{1}' axis {2}) has no size: give --dim {0}=N or --sizes {0}=N{3}",
                 symbol.name, plan.inputs[size_t(symbol.input)].name, symbol.axis, rt::suggested_sizes(plan, sizes));
}

}  // namespace

Deadline deadline_after(std::optional<double> seconds) {
  constexpr double kLongest = 1e8;  // three years: the clock counts nanoseconds
  if (!seconds) return std::nullopt;
  const std::chrono::duration<double> rest(std::min(*seconds, kLongest));
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(rest);
}

std::vector<VersionTuning> tune_with_progress(const ModelOptions& options, const Settings& settings,
                                              const CancelToken& cancel, const TuningLimits& limits) {
  require_onnx(options.model, "tune");
  if (settings.force_native_runtime) user_error("tune measures compiled code: remove FORCE_NATIVE_RUNTIME");
  if (!may_use_results(settings)) user_error("tune keeps its results in the cache: {}", kUseCaches);
  tune::TuneRequest request;
  request.compile = compile_request(options, settings, cancel);
  settle_foreign_compiler(request.compile.settings);
  request.compile.settings.ops_record.clear();  // candidates are no compilations of the user
  request.compile.settings.isa = {std::string(likely_isa(settings).name)};
  const std::map<std::string, int64_t> sizes = take_sizes_of_new_symbols(request.compile);
  for (const auto& [symbol, size] : sizes) request.run_dims.push_back(symbol + "=" + std::to_string(size));
  request.compile.before_kernels = [sizes](const rt::Plan& plan) { require_tuned_sizes(plan, sizes); };
  ProgressLine line(settings, "reading and scheduling the model");
  request.on_progress = [&](const std::string& what, int done, int total) { line.show(what, done, total); };
  request.deadline = limits.deadline;
  if (limits.any_load) request.load = nullptr;
  request.on_note = [](const std::string& text) { std::fprintf(stderr, "cppgen: %s\n", for_terminal(text).c_str()); };
  request.on_line = [](const std::string& text) { std::fprintf(stderr, "%s\n", for_terminal(text).c_str()); };
  const auto versions = std::exchange(request.compile.versions, {});
  for (size_t i = 0; i < versions.size(); i++) {
    for (const auto& [symbol, size] : versions[i])
      if (sizes.contains(symbol)) user_error("--dim and --sizes both give the size of '{}'", symbol);
    if (std::find(versions.begin(), versions.begin() + ptrdiff_t(i), versions[i]) != versions.begin() + ptrdiff_t(i))
      user_error("--sizes gives the same sizes twice");
  }
  if (versions.empty()) return {{"", tune::tune_model(request)}};
  std::vector<VersionTuning> all;
  for (const rt::SymbolSizes& sizes : versions) {
    tune::TuneRequest version = request;
    version.compile = with_sizes(request.compile, sizes);
    all.push_back({rt::name_of(sizes), tune::tune_model(version)});
  }
  return all;
}

void prepare_tunings(const ModelOptions& options, const Settings& s, const CancelToken& cancel) {
  if (s.flush_profile_cache) clear_tunings(s);
  const bool wanted =
      s.max_autotune || s.max_autotune_gemm || s.max_autotune_pointwise || s.autotune_policy == "autotune";
  if (!wanted) return;
  if (!may_use_results(s)) return log_warning("no tuning, because its results are kept in the cache: {}", kUseCaches);
  try {
    tune_with_progress(options, s, cancel);
  } catch (const UserError& error) {
    log_warning("the model is not tuned first: {}", error.what());
  }
}

}  // namespace cppgen
