#pragma once
#include <functional>
#include <string>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"

namespace cppgen {

using Action = std::function<ExitCode(const CancelToken&)>;

std::string version_text();  // "cppgen 0.1.0"

// Runs a command, reports its errors on stderr and returns the exit status. The arguments are for the report of a bug.
int run_reporting(const Action& command, const CancelToken&, int argc, char** argv);

}  // namespace cppgen
