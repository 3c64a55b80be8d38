#pragma once
#include <string>
#include <vector>

namespace cppgen {

// The arguments of the command line, in the form that its parser knows.

// "--dim a=1 b=2" means "--dim a=1 --dim b=2", for the options that take NAME=VALUE.
std::vector<std::string> expand_lists(int argc, char** argv);

// `cppgen help` and `cppgen help COMMAND` are what --help is.
void replace_help(std::vector<std::string>& arguments);

// Returns why the text is not a seed; empty if it is one.
std::string fault_of_seed(const std::string& text);

// Returns why the text is not a time of 0.001 to 86400 seconds; empty if it is one.
std::string fault_of_seconds(const std::string& text);

}  // namespace cppgen
