#pragma once
#include <string>
#include <string_view>

#include "cppgen/driver/command_options.h"
#include "cppgen/support/interrupt.h"
#include "runtime/base/settings.h"

namespace cppgen {

// Settings from the environment and the options; applies the log level and logs their warnings. UserError for a value
// that is not allowed, and for an option that is given twice with different values.
Settings read_settings(const CommonOptions&);

// Results of a command. UserError if stdout cannot take them.
void print_result(std::string_view text);

void throw_if_cancelled(const CancelToken&);

// A name from a model as people may see it: without control characters, not too long.
std::string printable(std::string_view name);

std::string bytes_text(int64_t bytes);     // "12.3 MB"
std::string seconds_text(double seconds);  // "1.24 s", "3.1 ms"

double seconds_now();  // steady

// The line "compiling kernels: 3 of 10" on stderr, rewritten in place on a terminal and removed at the end. PROGRESS
// decides: unset on a terminal only, 1 always (then one line each where there is no terminal), 0 never.
class ProgressLine {
 public:
  explicit ProgressLine(const Settings&);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view what, int done, int total);

 private:
  bool terminal_, enabled_, shown_ = false;
};

}  // namespace cppgen
