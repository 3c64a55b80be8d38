#pragma once
#include <string>

namespace CLI {
class App;
}

namespace cppgen {

// All commands and options of the program, for other programs to read.

// Completions for a shell: "bash", "zsh" or "fish". UserError for another one.
std::string completion_script(const CLI::App&, const std::string& shell);

// A manual page in the format of man(7).
std::string manual_page(const CLI::App&);

}  // namespace cppgen
