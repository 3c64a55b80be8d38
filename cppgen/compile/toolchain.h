#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cppgen {

// The compiler for kernels, found by looking only at files; no process is started.
struct Toolchain {
  std::vector<std::string> command;  // launchers, compiler and leading options; command[0] is an absolute path
  std::vector<std::string>
      identity;  // one line per program: properties that must stay the same for its output to be reused

  // `setting` is split at blanks; single or double quotes and backslashes group as in a shell, nothing is expanded. A
  // word is a program until the first option (-x) or assignment (A=b); launchers therefore come before options.
  // Programs without a slash are searched in `path` (as $PATH). UserError if `setting` is empty or malformed, or a
  // program is missing; it says what was searched for, where, and what to install.
  static Toolchain find(const std::string& setting, std::string_view path);
  static Toolchain find(const std::string& setting);  // with this process's PATH
};

// The words of a command line as above. UserError on an unfinished quote.
std::vector<std::string> split_command(std::string_view text);

// Words, quoted for pasting into a shell.
std::string join_command(const std::vector<std::string>& words);

}  // namespace cppgen
