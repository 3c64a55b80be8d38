#include "cppgen/cli/command_line/suggestions.h"

#include <algorithm>
#include <optional>

#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string meant_text(const std::optional<std::string>& meant) {
  return meant ? "; did you mean " + *meant + "?" : "";
}

// The only long option that begins with the letter of a short one: --output for -o.
std::optional<std::string> long_form(const std::string& name, const std::vector<std::string>& options) {
  std::optional<std::string> found;
  for (const std::string& option : options) {
    if (name.size() != 2 || !option.starts_with("-" + name)) continue;
    if (found) return std::nullopt;
    found = option;
  }
  return found;
}

bool looks_like_a_model(const std::string& text) { return text.ends_with(".onnx") || text.find('/') != text.npos; }

}  // namespace

std::string unknown_command(const std::string& word, const std::vector<std::string>& commands) {
  if (looks_like_a_model(word)) return "'" + word + "' is not a command; did you mean `cppgen run " + word + "`?";
  if (const auto meant = setting_values::likely_meant(word, commands))
    return "there is no command '" + word + "'; did you mean `cppgen " + *meant + "`?";
  return "there is no command '" + word + "'; the commands are " + joined(commands);
}

std::string unknown_word(const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return "";
  return "'" + word + "' is not allowed (allowed: " + joined(words) + ")" +
         meant_text(setting_values::likely_meant(word, words));
}

std::string unknown_argument(const std::vector<std::string>& extras, const std::vector<std::string>& options) {
  // An unknown option leaves its value over, too.
  auto at = std::find_if(extras.begin(), extras.end(), [](const std::string& it) { return it.starts_with("-"); });
  const std::string& word = at == extras.end() ? extras.front() : *at;
  if (!word.starts_with("-")) return "the argument '" + word + "' was not expected";
  const std::string name = word.substr(0, word.find('='));
  const auto meant = setting_values::likely_meant(name, options);
  return "there is no option " + name + meant_text(meant ? meant : long_form(name, options));
}

}  // namespace cppgen
