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

// A link named g++ that leads to ccache runs the next g++ in PATH: that one decides what comes out.
void add_identity(std::vector<std::string>& identity, const std::vector<std::string>& found) {
  for (const std::string& path : found) {
    identity.push_back(describe_program(path));
    if (!is_launcher(real_path(path)) || is_launcher(path)) return;
  }
}

[[noreturn]] void missing_program(const std::string& word, const std::string& setting, std::string_view path) {
  const std::string where = word.find('/') == std::string::npos ? fmt::format("in PATH ({})", path) : "there";
  user_error(
      "no C++ compiler: '{}' (setting CPPGEN_CXX={}) was not found {}; install a compiler (apt-get install g++) or set "
      "CPPGEN_CXX to its path",
      word, setting, where);
}

}  // namespace

std::vector<std::string> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote) user_error("'{}' has an unterminated {} quote", text, quote);
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::string join_command(const std::vector<std::string>& words) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

Toolchain Toolchain::find(const std::string& setting, std::string_view path) {
  Toolchain result;
  result.command = split_command(setting);
  if (result.command.empty()) user_error("CPPGEN_CXX is empty; it must name the C++ compiler (g++)");
  for (size_t i = 0; i < result.command.size(); ++i) {
    std::string& word = result.command[i];
    if (i > 0 && (word.starts_with('-') || word.find('=') != std::string::npos)) break;
    const std::vector<std::string> found = search(word, path);
    if (found.empty()) missing_program(word, setting, path);
    add_identity(result.identity, found);
    // Compilers run in folders of their own, so a relative path must not stay relative. A bare name after a launcher
    // stays bare: ccache looks for it in PATH past its own links.
    if (i == 0 || word.find('/') != std::string::npos) word = found.front();
  }
  return result;
}

Toolchain Toolchain::find(const std::string& setting) {
  const char* path = std::getenv("PATH");
  return find(setting, path ? path : "");
}

}  // namespace cppgen
