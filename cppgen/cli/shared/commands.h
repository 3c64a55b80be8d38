#pragma once
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"

namespace cppgen {

// One function per command of the program (commands.def). Results go to stdout, everything else to stderr. They return
// the exit status. They throw UserError and InternalError, and Cancelled once the token is set.

// Hidden commands, which `bench` and `minify` start in new processes.
inline constexpr const char *kMeasureCommand = "measure", *kTrialCommand = "trial";

#define CPPGEN_COMMAND(name, options, ...) ExitCode command_##name(const options&, const CancelToken&);
#include "cppgen/cli/shared/commands.def"

}  // namespace cppgen
