#include "cppgen/cli/command_line/shell_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "runtime/base/settings.h"
#include "runtime/base/version.h"

namespace cppgen {
namespace {

using Commands = std::vector<const CLI::App*>;
using Options = std::vector<const CLI::Option*>;

Commands commands_shown(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* it) { return !it->get_group().empty(); });
}

Options shown_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* it) { return it->nonpositional() && !it->get_group().empty(); });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : shown_options(command))
    for (const std::string& name : names_of(*option)) words.push_back(name);
  return words;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_shown(app)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> setting_words() {
  std::vector<std::string> words;
  for (const SettingDescription& setting : Settings().describe()) words.push_back(std::string(setting.name) + "=");
  return words;
}

std::vector<std::string> isa_words() {
  std::vector<std::string> words;
  for (const VecISA& isa : all_isas()) words.emplace_back(isa.name);
  return words;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string replaced(std::string text, const std::vector<std::pair<char, std::string>>& escapes) {
  std::string result;
  for (const char c : text) {
    std::string piece(1, c);
    for (const auto& [sign, escape] : escapes)
      if (c == sign) piece = escape;
    result += piece;
  }
  return result;
}

std::string bash_script(const CLI::App& app) {
  std::string text =
      fmt::format(R"(# Completions of cppgen for bash.
_cppgen() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command= options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      -*) ;;
      *) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  case $previous in
    --set)
      compopt -o nospace
      COMPREPLY=($(compgen -W "{}" -- "$current"))
      return ;;
    --isa)
      COMPREPLY=($(compgen -W "{}" -- "$current"))
      return ;;
  esac
  case $command in
    "") options="{} {}" ;;
    help) options="{}" ;;
)",
                  fmt::join(setting_words(), " "), fmt::join(isa_words(), " "), fmt::join(names_of_commands(app), " "),
                  fmt::join(option_words(app), " "), fmt::join(names_of_commands(app), " "));
  for (const CLI::App* command : commands_shown(app))
    text += fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), fmt::join(option_words(*command), " "));
  return text + R"(  esac
  if [[ $current == -* || -z $command || $command == help ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _cppgen cppgen
)";
}

std::string zsh_script(const CLI::App& app) {
  const auto escaped = [](const std::string& text) {
    return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'\\', "\\\\"}});
  };
  std::string commands, arguments;
  for (const CLI::App* command : commands_shown(app)) {
    commands += fmt::format("        '{}:{}'\n", command->get_name(), escaped(command->get_description()));
    arguments += fmt::format("        {})\n          _arguments -s \\\n", command->get_name());
    for (const CLI::Option* option : shown_options(*command))
      for (const std::string& name : names_of(*option))
        arguments +=
            fmt::format("            '*{}[{}]{}' \\\n", name, escaped(option->get_description()),
                        takes_value(*option) ? fmt::format(":{}:_files", escaped(option->get_type_name())) : "");
    arguments += "            '*:file:_files'\n          ;;\n";
  }
  return "#compdef cppgen\n# Completions of cppgen for zsh.\n_cppgen() {\n  local state line\n  local -a commands\n"
         "  _arguments -C '1: :->command' '*:: :->arguments'\n  case $state in\n    command)\n      commands=(\n" +
         commands + "      )\n      _describe command commands\n      ;;\n    arguments)\n      case $words[1] in\n" +
         arguments + "      esac\n      ;;\n  esac\n}\n_cppgen \"$@\"\n";
}

std::string fish_script(const CLI::App& app) {
  const auto escaped = [](const std::string& text) { return replaced(text, {{'\'', "\\'"}, {'\\', "\\\\"}}); };
  std::string text = "# Completions of cppgen for fish.\n";
  for (const CLI::App* command : commands_shown(app)) {
    text += fmt::format("complete -c cppgen -n __fish_use_subcommand -f -a {} -d '{}'\n", command->get_name(),
                        escaped(command->get_description()));
    for (const CLI::Option* option : shown_options(*command)) {
      text += fmt::format("complete -c cppgen -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const std::string& name : option->get_snames()) text += " -s " + name;
      for (const std::string& name : option->get_lnames()) text += " -l " + name;
      text += fmt::format("{} -d '{}'\n", takes_value(*option) ? " -r" : "", escaped(option->get_description()));
    }
  }
  return text;
}

std::string in_manual(std::string_view text) {
  std::string escaped =
      replaced(std::string(text), {{'\\', "\\e"}, {'-', "\\-"}, {'`', "\\(ga"}, {'\'', "\\(aq"}, {'\n', "\n.br\n"}});
  return !escaped.empty() && escaped[0] == '.' ? "\\&" + escaped : escaped;
}

bool is_of_all_commands(const CLI::Option& option) {
  return option.check_lname("help") || option.check_lname("version");
}

std::string option_in_manual(const CLI::Option& option) {
  const std::string value = takes_value(option) ? fmt::format(" \\fI{}\\fR", in_manual(option.get_type_name())) : "";
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", in_manual(fmt::format("{}", fmt::join(names_of(option), ", "))), value,
                     in_manual(option.get_description()));
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return zsh_script(app);
  if (shell == "fish") return fish_script(app);
  user_error("completion: '{}' is none of bash, zsh, fish", shell);
}

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(".TH CPPGEN 1 \"\" \"cppgen {}\" \"User Commands\"\n.SH NAME\ncppgen \\- {}\n",
                                 rt::kVersion, in_manual(app.get_description()));
  text += ".SH SYNOPSIS\n.B cppgen\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n";
  for (const CLI::App* command : commands_shown(app)) {
    text += fmt::format(".SS cppgen {}\n{}.\n", command->get_name(), in_manual(command->get_description()));
    for (const CLI::Option* option : shown_options(*command))
      if (option->get_group() != "Settings" && !is_of_all_commands(*option)) text += option_in_manual(*option);
  }
  text += ".SH OPTIONS OF MOST COMMANDS\n";
  for (const CLI::Option* option : shown_options(*app.get_subcommand("run")))
    if (option->get_group() == "Settings") text += option_in_manual(*option);
  text += ".SH ENVIRONMENT\nEvery setting is also an environment variable:\n";
  for (const SettingDescription& setting : Settings().describe())
    text += fmt::format(".TP\n\\fBCPPGEN_{}\\fR\n{} Default: {}.\n", setting.name, in_manual(setting.doc),
                        setting.default_value.empty() ? "empty" : in_manual(setting.default_value));
  return text + fmt::format(".SH NOTES\n{}\n", in_manual(app.get_footer()));
}

}  // namespace cppgen
