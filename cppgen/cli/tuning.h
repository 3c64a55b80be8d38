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

// Whether the settings ask a compilation to tune the model first.
bool tunes_first(const Settings&);

}  // namespace cppgen
