#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cppgen/compile/peaks.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"
#include "runtime/values/tensor.h"

namespace cppgen {

struct ModelProfile;
struct ReadyModel;

// The measurements of `profile`, for a model whose session measures its steps (ENABLE_KERNEL_PROFILE).

// Fills the times and the steps, without the first runs, in which memory is mapped and the processor's frequency rises.
void measure_steps(ModelProfile&, std::optional<int64_t> runs, const std::vector<rt::Tensor>& inputs,
                   const CancelToken&);

// nullopt with a warning if they cannot be measured.
std::optional<MachinePeaks> peaks_of(const ReadyModel&, const Settings&);

// From the sizes that the measured runs had, with the profile's peaks. A step that did not run has the bound 0.
void find_bounds(ModelProfile&);

}  // namespace cppgen
