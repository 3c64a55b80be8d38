#include "cppgen/cli/shared/command_support.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

#include "cppgen/cli/shared/settings_file.h"
#include "cppgen/flow/compile/compiler_settings.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::pair<std::string, std::string> split_setting(const std::string& text) {
  const size_t at = text.find('=');
  if (at == text.npos || at == 0) user_error("--set {}: expected NAME=VALUE, as in --set THREADS=2", text);
  return {text.substr(0, at), text.substr(at + 1)};
}

// --threads and --isa are short for --set; saying two different things is a mistake. They prevail over the first
// `loaded` settings, which come from a file.
void add_short_form(std::vector<std::pair<std::string, std::string>>& given, size_t loaded, const char* name,
                    const char* option, const std::string& value) {
  if (value.empty()) return;
  for (size_t i = loaded; i < given.size(); i++) {
    const auto& [other, set] = given[i];
    Settings probe;
    probe.set(other, set);
    const bool same = probe.source(name == std::string_view("THREADS") ? SettingId::threads : SettingId::isa).kind ==
                      SettingSource::option;
    if (same && set != value) user_error("{} {} and --set {}={} disagree: give one of them", option, value, other, set);
  }
  given.emplace_back(name, value);
}

}  // namespace

Settings settings_of(const CommonOptions& options) {
  std::vector<std::pair<std::string, std::string>> given = options.loaded;
  if (!options.load.empty()) given = read_settings_file(options.load);
  const size_t loaded = given.size();
  for (const std::string& text : options.settings) given.push_back(split_setting(text));
  add_short_form(given, loaded, "THREADS", "--threads", options.threads);
  add_short_form(given, loaded, "ISA", "--isa", options.isa);
  return compiler_settings(process_environment(), given);
}

Settings read_settings(const CommonOptions& options) {
  Settings settings = settings_of(options);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return settings;
}

void print_result(std::string_view text) {
  const bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!ok) user_error("cannot write the results to standard output: {}", error_text(errno));
}

void require_writable(const std::string& option, const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool is_there = std::filesystem::exists(status);
  if (path.empty() || (is_there && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)))
    return;  // a device or a pipe
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) user_error("{}: {}: cannot be written: {}", option, path, error_text(errno));
  ::close(file);
  if (!is_there) ::unlink(path.c_str());
}

void throw_if_cancelled(const CancelToken& cancel) {
  if (cancel.cancelled()) throw Cancelled("interrupted");
}

std::string printable(std::string_view name) { return shortened_line(name, 80); }

std::string printable_list(const std::vector<std::string>& names) {
  std::string text;
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (seen.insert(name).second) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") == word.npos;
  if (plain) return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", double(bytes) / 1e3);
  return fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

std::string seconds_text(double seconds) {
  return seconds < 0.1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace cppgen
