#include "cppgen/cli/shared/child_command.h"

#include <filesystem>

#include "cppgen/cli/shared/command_support.h"

namespace cppgen {

std::vector<std::string> own_command(const char* command, const std::string& model, const CommonOptions& options) {
  const std::string file = (model.starts_with('-') ? "./" : "") + model;
  std::vector<std::string> argv{std::filesystem::read_symlink("/proc/self/exe").string(), command, file};
  const auto add = [&](const char* option, const std::string& value) { argv.push_back(option_word(option, value)); };
  for (const std::string& setting : options.settings) add("--set", setting);
  if (!options.load.empty()) add("--load", options.load);
  if (!options.threads.empty()) add("--threads", options.threads);
  if (!options.isa.empty()) add("--isa", options.isa);
  return argv;
}

std::string option_word(const std::string& option, const std::string& value) { return option + "=" + value; }

ProcessResult run_child(const ProcessSpec& spec, const CancelToken& cancel) {
  PosixProcessRunner runner;
  runner.start(spec);
  std::optional<ProcessRunner::Completion> end;
  while (!(end = runner.wait_any(0.2))) throw_if_cancelled(cancel);
  throw_if_cancelled(cancel);
  return std::move(end->result);
}

std::string printed_by(const ProcessResult& result) {
  std::string output = result.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

}  // namespace cppgen
