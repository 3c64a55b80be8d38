#include "cppgen/flow/compile/known_compiler.h"

#include <sstream>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

bool is_default(const Settings& settings) { return settings.source(SettingId::cxx).kind == SettingSource::fallback; }

// The path of the compiler, and then the lines of its identity.
std::string memory_of(const Settings& settings) { return settings.cache_dir + "/default_compiler"; }

Toolchain remembered_compiler(const Settings& settings) {
  Toolchain compiler;
  std::istringstream lines(try_read_file(memory_of(settings)).value_or(""));
  std::string path;
  if (!std::getline(lines, path)) return compiler;
  compiler.command = {path};
  for (std::string line; std::getline(lines, line);) compiler.identity.push_back(line);
  return compiler;
}

}  // namespace

Toolchain known_compiler(const Settings& settings) {
  try {
    return Toolchain::find(settings.cxx);
  } catch (const UserError&) {
    return is_default(settings) ? remembered_compiler(settings) : Toolchain();
  }
}

void remember_compiler(const Settings& settings) {
  if (!is_default(settings)) return;
  const Toolchain compiler = Toolchain::find(settings.cxx);
  std::string text = compiler.command[0] + "\n";
  for (const std::string& line : compiler.identity) text += line + "\n";
  if (try_read_file(memory_of(settings)) != text)
    (void)publish_file(memory_of(settings), text);  // without it, machines without a compiler compile again
}

void require_chosen_compiler(const Settings& settings) {
  if (!is_default(settings)) (void)Toolchain::find(settings.cxx);
}

}  // namespace cppgen
