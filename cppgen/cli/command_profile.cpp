// cppgen profile
#include "cppgen/cli/command_support.h"
#include "cppgen/cli/commands.h"
#include "cppgen/cli/profile_report.h"
#include "cppgen/cli/ready_run.h"
#include "cppgen/cli/step_times.h"
#include "runtime/base/errors.h"

namespace cppgen {

ExitCode command_profile(const ProfileOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  if (settings.force_native_runtime) user_error("profile measures compiled code: remove FORCE_NATIVE_RUNTIME");
  settings.set("ENABLE_KERNEL_PROFILE", "1");
  const ReadyRun run = open_run(options, settings, cancel);
  ModelProfile profile{run.model, {}, 0, {}, {}, {}};
  profile.peaks = peaks_of(run.model, settings);
  measure_steps(profile, {options.runs, options.seconds}, run.inputs, cancel);
  if (profile.peaks) find_bounds(profile);
  print_result(options.json ? profile_json(options, profile) : profile_text(options, profile));
  return kDone;
}

}  // namespace cppgen
