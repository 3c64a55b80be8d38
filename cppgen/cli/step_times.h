#pragma once
#include <optional>
#include <vector>

#include "cppgen/cli/bench_runs.h"
#include "cppgen/compile/peaks.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"
#include "runtime/values/value.h"

namespace cppgen {

struct ModelProfile;

// The measurements of `profile`, for a model whose session measures its steps (ENABLE_KERNEL_PROFILE).

// Fills the times and the steps, without the first runs, in which memory is mapped and the processor's frequency rises.
void measure_steps(ModelProfile&, const TimingLimits&, const std::vector<rt::Value>& inputs, const CancelToken&);

// nullopt with a warning if they cannot be measured.
std::optional<MachinePeaks> peaks_of(const ReadyModel&, const Settings&);

// From the sizes that the measured runs had, with the profile's peaks. A step that did not run has the bound 0.
void find_bounds(ModelProfile&);

}  // namespace cppgen
