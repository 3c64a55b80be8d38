#pragma once
#include <optional>
#include <vector>

#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/command_options.h"
#include "cppgen/compile/peaks.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"
#include "runtime/values/value.h"

namespace cppgen {

struct ModelProfile;
struct ReadyRun;
class RunRecorder;

// The measurements of `profile`, for a model whose session measures its steps (ENABLE_KERNEL_PROFILE).

// Settings with which a model's steps are measured. UserError if they would run the interpreter.
Settings profile_settings(const CommonOptions&);

// Measures a model that was opened with these settings and the recorder's listener, with peaks and bounds, as often as
// the rule of load_meter.h says. `renew`: the peaks are measured again.
ModelProfile profile_model(const ReadyRun&, RunRecorder&, const TimingLimits&, const Settings&, const CancelToken&,
                           bool renew = false);

// Fills the times and the steps, without the first runs, in which memory is mapped and the processor's frequency rises.
// Records the runs if there is a recorder.
void measure_steps(ModelProfile&, const TimingLimits&, const std::vector<rt::Value>& inputs, const CancelToken&,
                   RunRecorder* = nullptr);

// nullopt with a warning if they cannot be measured.
std::optional<MachinePeaks> peaks_of(const ReadyModel&, const Settings&, bool renew = false);

// Bounds for the sizes that the measured runs had, with the profile's peaks. A step that did not run has the bound 0.
void find_bounds(ModelProfile&, const schedule::Costs&);

}  // namespace cppgen
