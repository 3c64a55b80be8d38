#include "runtime/memory/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Arena::Arena(int64_t bytes) : bytes_(bytes) {
  if (bytes < 0) internal_error("Arena: {} bytes", bytes);
  if (bytes == 0) return;
  void* memory = ::mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) user_error("cannot allocate {} bytes for intermediate buffers: {}", bytes, strerror(errno));
  data_ = static_cast<char*>(memory);
}

Arena::~Arena() {
  if (data_) ::munmap(data_, size_t(bytes_));
}

Arena::Arena(Arena&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::MappedFile(const std::string& path, bool populate) {
  // O_NONBLOCK: opening a FIFO without a writer must not block; the check below refuses it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) user_error("cannot open '{}': {}", path, strerror(errno));
  struct stat status;
  if (::fstat(file.fd, &status) != 0) user_error("cannot read '{}': {}", path, strerror(errno));
  if (!S_ISREG(status.st_mode)) user_error("'{}' is not a regular file", path);
  bytes_ = status.st_size;
  if (bytes_ == 0) return;
  void* memory = ::mmap(nullptr, size_t(bytes_), PROT_READ, MAP_SHARED | (populate ? MAP_POPULATE : 0), file.fd, 0);
  if (memory == MAP_FAILED) user_error("cannot map '{}' ({} bytes): {}", path, bytes_, strerror(errno));
  data_ = static_cast<const char*>(memory);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_t(bytes_));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace cppgen::rt
