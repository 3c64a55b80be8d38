#pragma once
#include "cppgen/cli/command_options.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/tune/tuner.h"

namespace cppgen {

// Tunes the model of a command with a progress line; LOG_AUTOTUNE goes to stderr.
tune::TuneReport tune_with_progress(const ModelOptions&, const Settings&, const CancelToken&);

// Whether the settings ask a compilation to tune the model first.
bool tunes_first(const Settings&);

}  // namespace cppgen
