#pragma once
#include <optional>
#include <string>

#include "cppgen/support/file_io.h"
#include "cppgen/support/litter.h"

namespace cppgen {

// flock(2) locks: they belong to the open file, so threads exclude each other like processes do, children started by
// exec do not inherit them, and the kernel drops them with their owner.
enum class LockKind { shared, exclusive };
enum class LockOutcome { locked, busy, unsupported };

// Never waits.
LockOutcome try_lock(const FileDescriptor&, LockKind);

// A lock named by a file that exists only while the lock is held or requested. Destroying it unlocks and removes the
// file.
class LockFile {
 public:
  LockFile(LockFile&&) noexcept = default;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

  struct Attempt;
  // Never waits. `busy`: another process or thread holds it; `unsupported`: the directory cannot be written or the file
  // system has no locks.
  static Attempt try_acquire(const std::string& path);

 private:
  LockFile(FileDescriptor fd, std::string path, LitterEntry litter)
      : fd_(std::move(fd)), path_(std::move(path)), litter_(std::move(litter)) {}
  FileDescriptor fd_;
  std::string path_;
  LitterEntry litter_;
};

struct LockFile::Attempt {
  LockOutcome outcome;
  std::optional<LockFile> lock;  // if the outcome is `locked`
};

}  // namespace cppgen
