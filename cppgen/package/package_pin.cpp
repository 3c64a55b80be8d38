#include "cppgen/package/package_pin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "cppgen/support/file_io.h"
#include "cppgen/support/file_lock.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/package/versions.h"

namespace cppgen::package {
namespace {

namespace fs = std::filesystem;

std::string manifest_of(const std::string& package) { return package + "/" + std::string(rt::kManifestFile); }

FileDescriptor open_manifest(const std::string& package) {
  return FileDescriptor(::open(manifest_of(package).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

// Returns whether the open manifest still is the package's: it may have been moved between opening and locking.
bool is_current(const FileDescriptor& manifest, const std::string& package) {
  struct stat mine, current;
  return ::fstat(manifest.get(), &mine) == 0 && ::stat(manifest_of(package).c_str(), &current) == 0 &&
         mine.st_ino == current.st_ino && mine.st_dev == current.st_dev;
}

std::string mark_of(const std::string& package) { return package + ".written"; }

std::string state_of_weights(const std::string& package) {
  const std::string boot = try_read_file("/proc/sys/kernel/random/boot_id").value_or("");
  if (boot.empty()) return "";
  std::vector<std::string> lines;
  for (const std::string& directory : rt::package_directories(package)) {
    std::error_code error;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().string().substr(package.size() + 1);
      struct stat st;
      if (!it->path().filename().string().starts_with("weights") || ::stat(it->path().c_str(), &st) != 0) continue;
      lines.push_back(fmt::format("{} {} {}.{:09}\n", name, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec));
    }
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}{}", boot, fmt::join(lines, ""));
}

}  // namespace

std::shared_ptr<const void> pin_package(const std::string& package) {
  FileDescriptor manifest = open_manifest(package);
  if (!manifest || try_lock(manifest, LockKind::shared) == LockOutcome::busy) return nullptr;
  if (!is_current(manifest, package)) return nullptr;
  ::futimens(manifest.get(), nullptr);  // a read-only cache keeps its times
  return std::make_shared<FileDescriptor>(std::move(manifest));
}

bool remove_unpinned(const std::string& package, const std::string& temporary) {
  const FileDescriptor manifest = open_manifest(package);
  if (manifest && try_lock(manifest, LockKind::exclusive) == LockOutcome::busy) return false;
  try {
    const TempDirectory away(temporary, "remove-");
    if (::rename(package.c_str(), (away.path() + "/package").c_str()) != 0) return false;
    remove_mark(package);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

int mark_as_written(const std::string& package) { return write_file(mark_of(package), state_of_weights(package)); }

bool is_as_written(const std::string& package) {
  const std::string now = state_of_weights(package);
  return !now.empty() && try_read_file(mark_of(package)) == now;
}

void remove_mark(const std::string& package) { ::unlink(mark_of(package).c_str()); }

}  // namespace cppgen::package
