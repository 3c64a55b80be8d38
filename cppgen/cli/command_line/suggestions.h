#pragma once
#include <string>
#include <vector>

namespace cppgen {

// The message about a command line that names something that does not exist, with a suggestion.

std::string unknown_command(const std::string& word, const std::vector<std::string>& commands);

// About a word that is not one of `words`; empty if it is one.
std::string unknown_word(const std::string& word, const std::vector<std::string>& words);

// About the first of `extras`, the arguments that a command with these options had no use for.
std::string unknown_argument(const std::vector<std::string>& extras, const std::vector<std::string>& options);

}  // namespace cppgen
