#include "runtime/package/standalone.h"

#include <filesystem>

#include "runtime/package/package.h"

namespace cppgen::rt {

std::string package_of_this_program() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || program.filename() != kStandaloneProgram) return "";
  const auto directory = program.parent_path();
  return std::filesystem::exists(directory / kManifestFile, error) ? directory.string() : "";
}

}  // namespace cppgen::rt
