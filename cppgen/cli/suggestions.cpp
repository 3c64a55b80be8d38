#include "cppgen/cli/suggestions.h"

#include <CLI/CLI.hpp>

#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names{"help"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool looks_like_a_model(const std::string& text) { return text.ends_with(".onnx") || text.find('/') != text.npos; }

}  // namespace

std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with("-")) return std::nullopt;
  const std::string& word = arguments[0];
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == word) return std::nullopt;
  const std::vector<std::string> known = commands_of(app);
  if (looks_like_a_model(word)) return "'" + word + "' is no command; did you mean `cppgen run " + word + "`?";
  if (const auto meant = setting_values::likely_meant(word, known))
    return "there is no command '" + word + "'; did you mean `cppgen " + *meant + "`?";
  return "there is no command '" + word + "'; the commands are " + joined(known);
}

std::string unknown_argument(const CLI::App& command, const std::vector<std::string>& extras) {
  // An unknown option leaves its value over, too.
  auto at = std::find_if(extras.begin(), extras.end(), [](const std::string& it) { return it.starts_with("-"); });
  const std::string& word = at == extras.end() ? extras.front() : *at;
  if (!word.starts_with("-")) return "the argument '" + word + "' was not expected";
  const std::string name = word.substr(0, word.find('='));
  const auto meant = setting_values::likely_meant(name, options_of(command));
  return "there is no option " + name + (meant ? "; did you mean " + *meant + "?" : "");
}

}  // namespace cppgen
