#include "cppgen/compile/toolchain.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "runtime/base/errors.h"

namespace cppgen {

namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_program(const std::string& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string absolute_path(const std::string& path) {
  if (path.front() == '/') return path;
  char cwd[PATH_MAX];
  if (!::getcwd(cwd, sizeof cwd)) user_error("cannot resolve '{}': the current directory no longer exists", path);
  return std::string(cwd) + "/" + path;
}

// All programs of this name, in search order.
std::vector<std::string> search(const std::string& name, std::string_view path) {
  std::vector<std::string> found;
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) found.push_back(absolute_path(name));
    return found;
  }
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    const std::string folder(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(candidate)) found.push_back(absolute_path(candidate));
  }
  return found;
}

std::string real_path(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) ? buffer : path;
}

std::string describe_program(const std::string& path) {
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) user_error("cannot read the compiler '{}'", path);
  return fmt::format("{} size={} mtime={}.{:09}", real_path(path), st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

bool is_launcher(const std::string& path) {
  static constexpr std::string_view kLaunchers[] = {"ccache", "distcc", "icecc", "sccache"};
  return std::find(std::begin(kLaunchers), std::end(kLaunchers), base_name(path)) != std::end(kLaunchers);
}

bool is_link_to_launcher(const std::string& path) { return !is_launcher(path) && is_launcher(real_path(path)); }

bool is_assignment(const std::string& word) { return word.find('=') != std::string::npos; }

[[noreturn]] void missing_program(const std::string& word, const std::string& setting, std::string_view path) {
  const std::string where = word.find('/') == std::string::npos ? fmt::format("in PATH ({})", path) : "there";
  user_error(
      "no C++ compiler: '{}' (setting CPPGEN_CXX={}) was not found {}; install a compiler (apt-get install g++) or set "
      "CPPGEN_CXX to its path",
      word, setting, where);
}

class ToolchainSearch {
 public:
  ToolchainSearch(const std::string& setting, std::string_view path)
      : setting_(setting), path_(path), words_(split_command(setting)) {}

  Toolchain run() {
    if (words_.empty()) user_error("CPPGEN_CXX is empty; it must name the C++ compiler (g++)");
    while (programs_ < words_.size() && (programs_ == 0 || !words_[programs_].starts_with('-'))) find_word(programs_++);
    if (launchers_ == programs_) user_error("CPPGEN_CXX={} names no compiler after its launcher", setting_);
    Toolchain result;
    result.command.assign(words_.begin() + long(launchers_), words_.end());
    for (size_t i = launchers_; i < programs_; i++) {
      if (real_[i].empty()) continue;
      result.identity.push_back(describe_program(real_[i]));
      if (i == launchers_) result.command[0] = real_[i];
    }
    if (launchers_ > 0) {
      result.launched = behind_launchers();
    } else if (first_[0] != real_[0]) {
      result.launched = {result.command, {}};
      result.launched->command[0] = first_[0];
    }
    return result;
  }

 private:
  const std::string& setting_;
  const std::string_view path_;
  std::vector<std::string> words_;
  size_t programs_ = 0, launchers_ = 0;    // how many of the words are programs, and the launchers among them
  std::vector<std::string> first_, real_;  // of each program: the one that PATH gives, and the one behind links

  void find_word(size_t i) {
    std::string& word = words_[i];
    first_.emplace_back(), real_.emplace_back();
    if (i > 0 && is_assignment(word)) {
      if (launchers_ == i) launchers_++;
      return;
    }
    const std::vector<std::string> found = search(word, path_);
    if (found.empty()) missing_program(word, setting_, path_);
    first_[i] = found.front();
    // Compilers run in folders of their own, so a relative path must not stay relative. A bare name after a launcher
    // stays bare: ccache looks for it in PATH past its own links, and distcc's servers for one of their own.
    if (i == 0 || word.find('/') != std::string::npos) word = found.front();
    if (is_launcher(found.front())) {
      launchers_ = i + 1;
    } else {
      real_[i] = behind_links(found);
    }
  }

  // The first of these programs, or of those in PATH with the same name, that is no link to a launcher.
  std::string behind_links(const std::vector<std::string>& found) const {
    const std::string name = base_name(found.front());
    for (const auto& programs : {found, search(name, path_)}) {
      const auto real = std::find_if_not(programs.begin(), programs.end(), is_link_to_launcher);
      if (real != programs.end()) return *real;
    }
    missing_program(name, setting_, path_);
  }

  // ccache takes the word after it for the compiler, whose changes it notices: other launchers belong into a variable.
  LaunchedCompiler behind_launchers() const {
    LaunchedCompiler result;
    std::vector<std::string> prefix;
    bool after_ccache = false;
    for (size_t i = 0; i < launchers_; i++) {
      (after_ccache && !is_assignment(words_[i]) ? prefix : result.command).push_back(words_[i]);
      after_ccache |= base_name(words_[i]) == "ccache";
    }
    if (!prefix.empty()) result.environment.emplace_back("CCACHE_PREFIX", fmt::format("{}", fmt::join(prefix, " ")));
    result.command.insert(result.command.end(), words_.begin() + long(launchers_), words_.end());
    return result;
  }
};

}  // namespace

Toolchain Toolchain::find(const std::string& setting, std::string_view path) {
  return ToolchainSearch(setting, path).run();
}

Toolchain Toolchain::find(const std::string& setting) {
  const char* path = std::getenv("PATH");
  return find(setting, path ? path : "");
}

std::vector<std::pair<std::string, std::optional<std::string>>> compiler_environment(const Toolchain& toolchain,
                                                                                     const std::string& folder) {
  std::vector<std::pair<std::string, std::optional<std::string>>> changes;
  if (toolchain.launched) changes = toolchain.launched->environment;
  changes.insert(changes.end(), {{"TMPDIR", folder}, {"LC_ALL", "C"}});
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"})
    changes.emplace_back(name, std::nullopt);
  return changes;
}

std::vector<std::string> Toolchain::identity_of_command() const {
  std::vector<std::string> words = identity;
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::optional<std::string> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::vector<std::string> found = search(name, path ? path : "");
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

}  // namespace cppgen
