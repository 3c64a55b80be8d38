// cppgen profile
#include "cppgen/cli/profile/kept_profile.h"
#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/profile/onednn_times.h"
#include "cppgen/cli/profile/profile_report.h"
#include "cppgen/cli/profile/profile_trace.h"
#include "cppgen/cli/profile/step_times.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_run.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {

ExitCode command_profile(const ProfileOptions& options, const CancelToken& cancel) {
  if (!options.against.empty()) {
    require_onnx(options.model, "--against");
    contenders::onednn_plugin();  // which fails where oneDNN is not installed
  }
  require_writable("--trace", options.trace);
  const Settings settings = profile_settings(options);
  RunRecorder recorder;
  const ReadyRun run = open_run(options, settings, cancel, recorder.listener());
  ModelProfile profile = with_hint_on_inputs(run, [&] {
    return profile_model(run, recorder, {options.runs, options.seconds, options.any_load}, settings, cancel,
                         options.renew);
  });
  keep_profile(options, settings, cancel, profile);
  if (!options.against.empty()) profile.onednn = times_on_onednn(options, settings, run, cancel);
  if (!options.trace.empty())
    if (const int e = write_file(options.trace, profile_trace(profile)))
      user_error("--trace: {}: cannot be written: {}", options.trace, error_text(e));
  print_result(options.json ? profile_json(options, profile) : for_terminal(profile_text(options, profile)));
  return kDone;
}

}  // namespace cppgen
