#include "runtime/package/reseal.h"

#include <filesystem>

#include "runtime/base/errors.h"
#include "runtime/package/package.h"
#include "runtime/package/seal.h"
#include "runtime/package/versions.h"

namespace cppgen::rt {
namespace {

// UserError unless the directory contains the files of the manifest, of which only objects may have changed.
void check_files(const std::string& directory, const Manifest& manifest) {
  for (const ManifestFile& file : manifest.files) {
    std::error_code error;
    if (!is_object(file.name)) {
      open_package_file(directory, file, true);
    } else if (!std::filesystem::is_regular_file(directory + "/" + file.name, error)) {
      user_error("package '{}': the file '{}' is missing", directory, file.name);
    }
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kManifestFile && !manifest.find(name))
      user_error("package '{}': '{}' does not belong to the package; remove it", directory, name);
  }
}

void reseal_version(const std::string& directory) {
  const Manifest manifest = read_manifest(directory);
  check_files(directory, manifest);
  write_manifest(directory, manifest.isa);
}

}  // namespace

void reseal_package(const std::string& directory) {
  const Manifest manifest = read_manifest(directory);
  check_files(directory, manifest);
  const std::vector<VersionRow> versions = read_versions(directory, manifest);
  for (const VersionRow& version : versions) reseal_version(version_directory(directory, version));
  if (!versions.empty()) write_versions(directory, versions);
  write_manifest(directory, manifest.isa);
}

}  // namespace cppgen::rt
