#include "runtime/package/object_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

using File = std::shared_ptr<const int>;

File owned(int fd) {
  return File(new int(fd), [](const int* file) {
    if (*file >= 0) ::close(*file);
    delete file;
  });
}

struct stat status_of(int file, const std::string& path) {
  struct stat status;
  if (::fstat(file, &status) != 0) user_error("cannot read '{}': {}", path, strerror(errno));
  if (!S_ISREG(status.st_mode)) user_error("'{}' is not a regular file", path);
  return status;
}

bool others_can_write(const struct stat& status) {
  return (status.st_uid != 0 && status.st_uid != ::geteuid()) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// Newer systems may forbid programs in such memory unless they are announced; older ones do not know how to.
int make_memory_file(const char* name) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING, kExecutable = 0x10;
  const int file = ::memfd_create(name, kFlags | kExecutable);
  return file >= 0 || errno != EINVAL ? file : ::memfd_create(name, kFlags);
}

File new_memory_file(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
  File copy = owned(make_memory_file(name.c_str()));
  if (*copy < 0) user_error("cannot load '{}': memory for its copy is refused: {}", path, strerror(errno));
  return copy;
}

// Seals the copy, so that it cannot be changed.
File sealed(File copy, const std::string& path) {
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (::fcntl(*copy, F_ADD_SEALS, kSeals) != 0) user_error("cannot seal the copy of '{}': {}", path, strerror(errno));
  return copy;
}

// The first `bytes` of a file.
File sealed_copy(int from, size_t bytes, const std::string& path) {
  File copy = new_memory_file(path);
  for (off_t done = 0; size_t(done) < bytes;) {
    const ssize_t count = ::sendfile(*copy, from, &done, bytes - size_t(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) user_error("cannot read '{}': {}", path, strerror(errno));
    if (count == 0) user_error("cannot read '{}': it was truncated to {} bytes", path, done);
  }
  return sealed(std::move(copy), path);
}

File sealed_copy(std::span<const char> content, const std::string& path) {
  File copy = new_memory_file(path);
  while (!content.empty()) {
    const ssize_t count = ::write(*copy, content.data(), content.size());
    if (count < 0 && errno != EINTR) user_error("cannot load '{}': {}", path, strerror(errno));
    if (count > 0) content = content.subspan(size_t(count));
  }
  return sealed(std::move(copy), path);
}

File open_object(const std::string& path, bool in_place) {
  // O_NONBLOCK: opening a FIFO without a writer must not block.
  File file = owned(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (*file < 0) user_error("cannot open '{}': {}", path, strerror(errno));
  const struct stat status = status_of(*file, path);
  if (in_place && !others_can_write(status)) return file;
  return sealed_copy(*file, size_t(status.st_size), path);
}

// The loader takes an object for one that it has loaded before if the names are equal, and numbers of descriptors are
// used again. So each name is used once: its slashes count.
std::string unique_name_of(int file) {
  static std::atomic<uint64_t> count{0};
  std::string name = fmt::format("/proc/{}/fd", ::getpid());
  for (uint64_t left = count++; left > 0; left /= 2) name += left % 2 ? "//." : "/.";
  return fmt::format("{}/{}", name, file);
}

// Debuggers read the file under the loader's name for it.
bool is_for_debuggers(std::span<const char> content) {
  return std::string_view(content.data(), content.size()).find(".debug_info") != std::string_view::npos;
}

}  // namespace

ObjectFile::ObjectFile(const std::string& path, bool in_place)
    : path_(path), file_(open_object(path, in_place)), mapping_(*file_, path) {}

ObjectFile::ObjectFile(std::span<const char> content, const std::string& path)
    : path_(path), file_(sealed_copy(content, path)), mapping_(*file_, path) {}

std::shared_ptr<void> ObjectFile::load() const {
  const std::string name = unique_name_of(*file_);
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = ::dlerror();
    user_error("cannot load '{}': {}", path_, why ? why : "dlopen failed");
  }
  const File kept = is_for_debuggers(content()) ? file_ : nullptr;
  return std::shared_ptr<void>(handle, [kept](void* loaded) { ::dlclose(loaded); });
}

}  // namespace cppgen::rt
