#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/command_options.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/tune/tuner.h"

namespace cppgen {

struct VersionTuning {
  std::string version;  // its sizes; empty: the model has no versions
  tune::TuneReport report;
};

// Tunes the model of a command, or each of the versions that it asks for, with a progress line; LOG_AUTOTUNE goes to
// stderr. Of a list of instruction sets, the best one of this machine is tuned.
std::vector<VersionTuning> tune_with_progress(const ModelOptions&, const Settings&, const CancelToken&);

// Before a compilation: FLUSH_PROFILE_CACHE, and a tuning if the settings ask for one first. A model that cannot be
// tuned causes a warning.
void prepare_tunings(const ModelOptions&, const Settings&, const CancelToken&);

}  // namespace cppgen
