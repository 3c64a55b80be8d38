#pragma once
#include "cppgen/cli/shared/command_options.h"

namespace CLI {
class App;
}

namespace cppgen {

// The options of commands that measure, and of what is kept of measurements.
void add_timing_limits(CLI::App*, TimedOptions&);  // --runs, --seconds, --any-load
void add_tuning_limits(CLI::App*, TuneOptions&);   // --seconds, --any-load, --renew
void add_renewed_peaks(CLI::App*, ProfileOptions&);
void add_cleared_kinds(CLI::App*, CacheOptions&);

}  // namespace cppgen
