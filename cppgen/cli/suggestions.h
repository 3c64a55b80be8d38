#pragma once
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cppgen {

// What to say about a command line that names what there is not, with what was probably meant.

// The message, if the first argument is neither an option nor a command of `app`.
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments);

// The message about the first of `extras`, the arguments that `command` had no use for.
std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& extras);

}  // namespace cppgen
