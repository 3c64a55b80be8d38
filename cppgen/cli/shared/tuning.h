#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/tune/tuner.h"

namespace cppgen {

struct VersionTuning {
  std::string version;  // its sizes; empty: the model has no versions
  tune::TuneReport report;
};

using Deadline = std::optional<std::chrono::steady_clock::time_point>;
Deadline deadline_after(std::optional<double> seconds);  // from now

// States how a command measures.
struct TuningLimits {
  Deadline deadline = {};  // of all that it tunes
  bool any_load = false;   // whatever else the machine does
};

// Tunes the model of a command, or each of the versions that it asks for, with a progress line; LOG_AUTOTUNE goes to
// stderr. If there is a list of instruction sets, the best one of this machine is tuned.
std::vector<VersionTuning> tune_with_progress(const ModelOptions&, const Settings&, const CancelToken&,
                                              const TuningLimits& = {});

// Obeys FLUSH_PROFILE_CACHE before a compilation, and tunes if the settings ask for that first. A model that cannot be
// tuned causes a warning.
void prepare_tunings(const ModelOptions&, const Settings&, const CancelToken&);

}  // namespace cppgen
