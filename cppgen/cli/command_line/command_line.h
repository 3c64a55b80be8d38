#pragma once

namespace cppgen {

// The program `cppgen`: parses the command line, runs the command and reports errors on stderr. Returns the exit status
// (exit_codes in command_options.h).
int run_command_line(int argc, char** argv);

}  // namespace cppgen
