#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {

// A command of this program for a new process, with the settings of these options.
std::vector<std::string> own_command(const char* command, const std::string& model, const CommonOptions&);

// An option and its value in one word, so that no value, such as the name of a file, is taken for an option.
std::string option_word(const std::string& option, const std::string& value);

// Runs it and waits for its end. Throws Cancelled, after which the process does not live on.
ProcessResult run_child(const ProcessSpec&, const CancelToken&);

// The text that it printed, without line breaks at the end.
std::string printed_by(const ProcessResult&);

}  // namespace cppgen
