#include "cppgen/support/temp_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "cppgen/support/file_lock.h"
#include "runtime/base/errors.h"

namespace cppgen {

namespace {

constexpr time_t kDay = 24 * 60 * 60;
constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// False when a cleaner caught the new directory before it was locked: it is gone, or about to be. UserError if the
// directory cannot be opened; then it is removed.
bool lock_new_directory(const std::string& path, FileDescriptor& lock) {
  lock = FileDescriptor(::open(path.c_str(), kOpenDirectory));
  if (const int error = errno; !lock && error != ENOENT) {
    ::rmdir(path.c_str());
    user_error("cannot open the new temporary directory '{}': {}", path, error_text(error));
  }
  if (!lock || try_lock(lock, LockKind::exclusive) == LockOutcome::busy) return false;
  struct stat st;
  return ::fstat(lock.get(), &st) == 0 && st.st_nlink > 0;
}

bool is_stale(const std::string& path, FileDescriptor& lock) {
  lock = FileDescriptor(::open(path.c_str(), kOpenDirectory));
  struct stat st;
  if (!lock || ::fstat(lock.get(), &st) != 0 || st.st_uid != ::geteuid()) return false;
  switch (try_lock(lock, LockKind::exclusive)) {
    case LockOutcome::locked:
      return true;
    case LockOutcome::busy:
      return false;
    case LockOutcome::unsupported:
      return st.st_mtime + kDay < ::time(nullptr);
  }
  return false;
}

}  // namespace

TempDirectory::TempDirectory(const std::string& parent, const std::string& prefix) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string path = parent + "/" + prefix + "XXXXXX";
    LitterLock making;
    if (!::mkdtemp(path.data())) {
      user_error("cannot create a temporary directory in '{}': {} (set TMPDIR to choose another place)", parent,
                 error_text(errno));
    }
    if (lock_new_directory(path, lock_)) {
      litter_ = making.directory(path);
      path_ = std::move(path);
      return;
    }
  }
  user_error("cannot keep a temporary directory in '{}': another process removes it", parent);
}

TempDirectory::TempDirectory(TempDirectory&& other) noexcept
    : litter_(std::move(other.litter_)), lock_(std::move(other.lock_)) {
  path_.swap(other.path_);
}

TempDirectory::~TempDirectory() {
  if (!path_.empty()) remove_tree(path_);
}

std::string TempDirectory::keep_as(const std::string& prefix) {
  std::string path;
  path.swap(path_);
  const std::string kept = parent_directory(path) + "/" + prefix + path.substr(path.size() - 6);
  const bool renamed = ::rename(path.c_str(), kept.c_str()) == 0;
  litter_.forget();
  lock_.reset();
  return renamed ? kept : path;
}

std::string system_temp_directory() {
  const char* dir = std::getenv("TMPDIR");
  if (!dir || !*dir) return "/tmp";
  std::error_code error;  // compilers run in other directories
  const std::filesystem::path path = std::filesystem::absolute(dir, error);
  return error ? "/tmp" : path.string();
}

int remove_stale_temp_directories(const std::string& parent, const std::string& prefix) {
  int removed = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().rfind(prefix, 0) != 0) continue;
    FileDescriptor lock;
    if (!is_stale(it->path().string(), lock)) continue;
    remove_tree(it->path().string());
    ++removed;
  }
  return removed;
}

std::string cleaned_temp_directory(const std::string& prefix) {
  const std::string parent = system_temp_directory();
  remove_stale_temp_directories(parent, prefix);
  return parent;
}

}  // namespace cppgen
