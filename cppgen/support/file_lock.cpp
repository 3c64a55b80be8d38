#include "cppgen/support/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace cppgen {

LockOutcome try_lock(const FileDescriptor& fd, LockKind kind) {
  const int operation = (kind == LockKind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  for (;;) {
    if (::flock(fd.get(), operation) == 0) return LockOutcome::locked;
    if (errno == EINTR) continue;
    return errno == EWOULDBLOCK ? LockOutcome::busy : LockOutcome::unsupported;
  }
}

LockFile::Attempt LockFile::try_acquire(const std::string& path) {
  for (;;) {
    LitterLock making;
    FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd) return {LockOutcome::unsupported, std::nullopt};
    const LockOutcome outcome = try_lock(fd, LockKind::exclusive);
    if (outcome != LockOutcome::locked) return {outcome, std::nullopt};
    // The previous holder removes the file before it unlocks: a lock on a file that is no longer at `path` excludes no
    // one.
    struct stat mine, current;
    if (::fstat(fd.get(), &mine) != 0) return {LockOutcome::unsupported, std::nullopt};
    if (::stat(path.c_str(), &current) != 0 || current.st_ino != mine.st_ino || current.st_dev != mine.st_dev) continue;
    return {LockOutcome::locked, LockFile(std::move(fd), path, making.file(path))};
  }
}

LockFile::~LockFile() {
  if (fd_) ::unlink(path_.c_str());
}

}  // namespace cppgen
