// cppgen profile
#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/model_inputs.h"
#include "cppgen/cli/profile_report.h"
#include "cppgen/cli/step_times.h"
#include "runtime/base/errors.h"

namespace cppgen {
ExitCode command_profile(const ProfileOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("profile measures compiled code: remove FORCE_NATIVE_RUNTIME");
  settings.set("ENABLE_KERNEL_PROFILE", "1");
  const ReadyModel model = open_model(options, settings, cancel);
  const std::vector<rt::Tensor> inputs = make_inputs(model.plan(), model.bound, options.seed, settings.max_memory);
  ModelProfile profile{model, {}, 0, {}, {}, {}};
  profile.peaks = peaks_of(model, settings);
  measure_steps(profile, options.runs, inputs, cancel);
  if (profile.peaks) find_bounds(profile);
  print_result(options.json ? profile_json(options, profile) : profile_text(options, profile));
  return kDone;
}

}  // namespace cppgen
