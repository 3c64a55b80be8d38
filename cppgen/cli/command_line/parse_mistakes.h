#pragma once
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace cppgen {

std::vector<std::string> commands_of(const CLI::App&);  // those that people are told of

// Help and version go to stdout, mistakes to stderr with the command whose --help explains them.
ExitCode report_parse(const CLI::App&, const CLI::ParseError&);

}  // namespace cppgen
