#include "cppgen/cli/command_line/parse_mistakes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "cppgen/cli/command_line/suggestions.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The library says "--dim: 1 required NAME=N missing" of an option without its value, which this says plainly.
std::string mistake_text(const CLI::ParseError& error) {
  const std::string text = error.what(), middle = ": 1 required ", end = " missing";
  const size_t at = text.find(middle);
  if (at == text.npos || !text.ends_with(end)) return text;
  const std::string form = text.substr(at + middle.size(), text.size() - end.size() - at - middle.size());
  return text.substr(0, at) + " lacks its value: " + text.substr(0, at) + " " + form;
}

}  // namespace

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names{"help"};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

ExitCode report_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return kDone;
  }
  std::string command = "cppgen", message = mistake_text(error);
  const CLI::App* innermost = &app;
  for (const CLI::App* sub : app.get_subcommands()) {
    command += " " + sub->get_name();
    innermost = sub;
  }
  // An option that is not known explains other mistakes, too: what was meant as its value is taken for a model, or the
  // help that was asked for is not shown.
  const auto extras = app.remaining(true);
  const bool is_unknown = std::any_of(extras.begin(), extras.end(), [](const auto& it) { return it.starts_with("-"); });
  if (is_unknown || (dynamic_cast<const CLI::ExtrasError*>(&error) && !extras.empty()))
    message = unknown_argument(extras, options_of(*innermost));
  std::fprintf(stderr, "cppgen: %s\nSee `%s --help`.\n", for_terminal(message).c_str(), command.c_str());
  return kUserError;
}

}  // namespace cppgen
