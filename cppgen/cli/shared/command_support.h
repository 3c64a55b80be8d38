#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"

namespace cppgen {

// Settings from the environment and the options. UserError for a value that is not allowed, and for an option that is
// given twice with different values.
Settings settings_of(const CommonOptions&);
// The same; applies the log level and logs their warnings.
Settings read_settings(const CommonOptions&);

// Prints results of a command. UserError if they cannot be written to stdout.
void print_result(std::string_view text);

// UserError, which names the option, unless a file can be written there: before the work whose result it is for. An
// empty path is no file.
void require_writable(const std::string& option, const std::string& path);

void throw_if_cancelled(const CancelToken&);

// A name from a model in displayable form: without control characters, and not too long.
std::string printable(std::string_view name);
// Each name once, in order of first occurrence, separated by commas.
std::string printable_list(const std::vector<std::string>& names);

// A word of a command line, quoted for a shell if it has to be.
std::string shell_word(const std::string& word);

std::string bytes_text(int64_t bytes);     // "12.3 MB"
std::string seconds_text(double seconds);  // "1.24 s", "3.1 ms"

double seconds_now();  // of the steady clock

}  // namespace cppgen
