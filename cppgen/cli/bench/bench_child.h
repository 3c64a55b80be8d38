#pragma once
#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"

namespace cppgen {

// Measurements that require a new process.
struct FreshProcess {
  double load_s = 0;        // from opening the model, which is in the cache, to a ready session
  int64_t peak_rss_kb = 0;  // peak resident memory after a few runs
};

// Runs this program's hidden command `measure` with the same model and options, and the caches of `settings`. UserError
// or InternalError with its output if it fails; Cancelled once the token is set (the process is killed).
FreshProcess measure_in_fresh_process(const BenchOptions&, const Settings& settings, const CancelToken&);

}  // namespace cppgen
