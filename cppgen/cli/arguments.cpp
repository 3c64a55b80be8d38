#include "cppgen/cli/arguments.h"

#include <algorithm>

namespace cppgen {

std::vector<std::string> expand_lists(int argc, char** argv) {
  std::vector<std::string> arguments;
  std::string option;
  for (int i = 1; i < argc; i++) {
    const std::string text = argv[i];
    if (text == "--") return arguments.insert(arguments.end(), argv + i, argv + argc), arguments;
    if (text.starts_with("-")) {
      option = text == "--input" || text == "--dim" || text == "--sizes" || text == "--sweep" ? text : "";
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

}  // namespace cppgen
