#include "cppgen/cli/command_line/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace cppgen {

std::vector<std::string> expand_lists(int argc, char** argv) {
  std::vector<std::string> arguments;
  std::string option;
  for (int i = 1; i < argc; i++) {
    const std::string text = argv[i];
    if (text == "--") return arguments.insert(arguments.end(), argv + i, argv + argc), arguments;
    if (text.starts_with("-")) {
      option = text == "--input" || text == "--dim" || text == "--sizes" || text == "--state" || text == "--sweep"
                   ? text
                   : "";
    } else if (!option.empty() && arguments.back() != option) {
      if (text.find('=') == text.npos) {
        option.clear();
      } else {
        arguments.push_back(option);
      }
    }
    arguments.push_back(text);
  }
  return arguments;
}

void replace_help(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "help") return;
  arguments.erase(arguments.begin());
  arguments.resize(std::min<size_t>(arguments.size(), 1));
  arguments.push_back("--help");
}

std::string fault_of_seed(const std::string& text) {
  uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seed);
  return error == std::errc() && rest == end ? "" : "a seed is a number from 0 to 2^64 - 1";
}

std::string fault_of_seconds(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, seconds);
  const bool ok = error == std::errc() && rest == end && seconds >= 0.001 && seconds <= 86400;  // NaN is neither
  return ok ? "" : "a time is a number of seconds from 0.001 to 86400";
}

}  // namespace cppgen
