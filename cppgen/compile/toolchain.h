#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen {

// The compiler behind launchers: programs such as ccache and distcc, which run a compiler elsewhere or remember what it
// made, and do so only for commands that turn one source into one object file (-c).
struct LaunchedCompiler {
  std::vector<std::string> command;  // launchers, compiler and leading options; command[0] is an absolute path
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // as in ProcessSpec
};

// The compiler for kernels, found by looking only at files; no process is started.
struct Toolchain {
  std::vector<std::string> command;  // the compiler and its leading options; command[0] is an absolute path
  // One line per program of `command`: properties that must stay the same for its output to be reused. Launchers are
  // not among them, because they must not change the output.
  std::vector<std::string> identity;
  // All of what the output depends on: identity and command.
  std::vector<std::string> identity_of_command() const;
  std::optional<LaunchedCompiler> launched;  // if there are launchers: what makes object files instead of `command`

  // `setting` is split at blanks; single or double quotes and backslashes group as in a shell, nothing is expanded. A
  // word is a program until the first option (-x), or an assignment (A=b) for the program before it. The last program
  // is the compiler, those up to the last launcher (ccache, distcc, icecc, sccache) are launchers. Programs without a
  // slash are searched in `path` (as $PATH). A compiler that is a link to a launcher (/usr/lib/ccache/g++) stands for
  // that launcher and the next compiler of the same name. UserError if `setting` is empty or malformed, names no
  // compiler, or a program is missing; it says what was searched for, where, and what to install.
  static Toolchain find(const std::string& setting, std::string_view path);
  static Toolchain find(const std::string& setting);  // with this process's PATH
};

// Changes to the environment of compiler processes, as in ProcessSpec: temporary files go to `folder`, which is removed
// even when a compiler is killed, and variables that would add headers, libraries or output files are unset.
std::vector<std::pair<std::string, std::optional<std::string>>> compiler_environment(const Toolchain&,
                                                                                     const std::string& folder);

// The path of a program, as this process's PATH finds it.
std::optional<std::string> find_program(const std::string& name);

// The words of a command line as above. UserError on an unfinished quote.
std::vector<std::string> split_command(std::string_view text);

// Words, quoted for pasting into a shell.
std::string join_command(const std::vector<std::string>& words);

}  // namespace cppgen
