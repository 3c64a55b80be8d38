#include "cppgen/cli/shared/pass_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/cli/shared/child_command.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/settings_file.h"
#include "cppgen/flow/reference/run_passes.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// The compiler is not part of keys as a setting, but by what it is.
std::vector<std::string> repeated_settings(const Settings& settings) {
  std::vector<std::string> pairs;
  for (const SettingDescription& setting : changed_settings(settings))
    if (setting.in_key || setting.running || setting.name == "CXX")
      pairs.push_back(fmt::format("{}={}", setting.name, setting.value));
  return pairs;
}

// The message with which `opt` ended, without warnings and advice; or how it ended.
std::string opt_error(const ProcessResult& result) {
  constexpr std::string_view kPrefix = "cppgen: ", kWarning = "cppgen: warning";
  std::istringstream lines(printed_by(result));
  if (result.end == ProcessResult::End::exited)
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(kPrefix) && !line.starts_with(kWarning)) return line.substr(kPrefix.size());
  return result.describe();
}

// Runs `opt` in new processes.
class Opt {
 public:
  Opt(const Settings& settings, const CancelToken& cancel)
      : seconds_(double(settings.compile_timeout_seconds) + 1), cancel_(cancel) {
    options_.settings = repeated_settings(settings);
  }

  // Writes a text to `to`. "" or the error.
  std::string run(const std::string& from, std::vector<std::string> more, const std::string& to) const {
    ProcessSpec spec;
    spec.argv = own_command("opt", from, options_);
    more.push_back(option_word("--output", to));
    spec.argv.insert(spec.argv.end(), more.begin(), more.end());
    spec.timeout_seconds = seconds_;
    const ProcessResult result = run_child(spec, cancel_);
    return result.ok() ? "" : opt_error(result);
  }

 private:
  CommonOptions options_;
  double seconds_;
  const CancelToken& cancel_;
};

void write_pass_file(const std::string& path, const std::string& text) {
  if (const int error = write_file(path, text)) user_error("{}: cannot be written: {}", path, error_text(error));
}

std::string opt_command(const PassText& it, const Settings& settings) {
  const std::string pass = it.pass.empty() ? "--until " + names_of_passes().back() : "--pass " + it.pass;
  return fmt::format("cppgen opt {} {}{}", shell_word(it.file), pass, settings_words(settings));
}

}  // namespace

void require_text_file(const std::string& path) {
  if (path.ends_with(".onnx")) user_error("--text: {}: a file of this name is read as a model", path);
  require_writable("--text", path);
}

std::string settings_words(const Settings& settings) {
  std::string text;
  for (const std::string& pair : repeated_settings(settings)) text += " --set " + shell_word(pair);
  return text;
}

PassText write_pass_text(const PassTextRequest& request, const Settings& settings, const CancelToken& cancel) {
  const TempDirectory folder(cleaned_temp_directory("cppgen-passes."), "cppgen-passes.");
  const std::string before = folder.path() + "/before", after = folder.path() + "/after";
  const Opt opt(settings, cancel);
  std::vector<std::string> words;
  for (const std::string& dim : request.dims) words.push_back(option_word("--dim", dim));
  for (const std::string& state : request.states) words.push_back(option_word("--state", state));
  if (const std::string error = opt.run(request.model, words, before); !error.empty())
    user_error("--text: '{}' has no text: {}", request.model, error);
  const std::string imported = read_file(before);
  PassText found{request.file, "", "", ""};
  std::string text = imported;
  for (const std::string& pass : passes_in_order(settings)) {
    found.error = opt.run(before, {option_word("--pass", pass)}, after);
    const std::string next = found.error.empty() ? read_file(after) : text;
    if (!found.error.empty() || (pass == request.pass && next != text)) {
      found.pass = pass;
      break;
    }
    write_pass_file(before, text = next);
  }
  write_pass_file(request.file, found.pass.empty() ? imported : text);
  found.command = opt_command(found, settings);
  return found;
}

std::string pass_text_report(const PassText& it) {
  std::string text;
  if (it.pass.empty()) {
    text = fmt::format("{}: the imported graph, over which no pass fails\n", it.file);
  } else {
    text = fmt::format("{}: the text before the pass {}{}{}\n", it.file, it.pass,
                       it.error.empty() ? ", which changes it" : ", which fails: ", it.error);
  }
  return for_terminal(text) + "  " + it.command + "\n";
}

Json pass_text_json(const PassText& it) {
  Json json;
  json["file"] = it.file;
  json["pass"] = it.pass;
  json["error"] = it.error;
  json["command"] = it.command;
  return json;
}

}  // namespace cppgen
