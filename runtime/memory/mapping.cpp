#include "runtime/memory/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/base/errors.h"
#include "runtime/base/helper_threads.h"

namespace cppgen::rt {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

constexpr uintptr_t kHugePage = uintptr_t{1} << 21;  // of x86-64
constexpr size_t kLarge = 2 * kHugePage;             // at least half of such memory consists of huge pages

// Zeroed pages, or null.
char* map_pages(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

size_t parts(size_t bytes, size_t part) { return (bytes + part - 1) / part; }
uintptr_t rounded_up(uintptr_t value, uintptr_t unit) { return parts(value, unit) * unit; }

// Maps memory that begins at a multiple of kHugePage.
char* map_aligned(size_t bytes) {
  const size_t page = size_t(::sysconf(_SC_PAGESIZE)), used = rounded_up(bytes, page);
  char* memory = map_pages(used + kHugePage);
  if (!memory) return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const size_t before = rounded_up(begin, kHugePage) - begin;
  if (before > 0) ::munmap(memory, before);
  if (before < kHugePage) ::munmap(memory + before + used, kHugePage - before);
  return memory + before;
}

// A request: without huge pages, everything works as well.
void ask_for_huge_pages(const char* memory, int64_t bytes) {
  ::madvise(const_cast<char*>(memory), size_t(bytes), MADV_HUGEPAGE);
}

void read_part(int file, const std::string& path, int64_t offset, std::span<char> to) {
  for (size_t done = 0; done < to.size();) {
    const off_t at = offset + off_t(done);
    const ssize_t count = ::pread(file, to.data() + done, to.size() - done, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) user_error("cannot read '{}': {}", path, strerror(errno));
    if (count == 0) user_error("cannot read '{}': it was truncated to {} bytes", path, at);
    done += size_t(count);
  }
}

}  // namespace

Arena::Arena(int64_t bytes, bool huge_pages) : bytes_(bytes) {
  if (bytes < 0) internal_error("Arena: {} bytes", bytes);
  if (bytes == 0) return;
  const bool asks = huge_pages || size_t(bytes) >= kLarge;
  data_ = asks ? map_aligned(size_t(bytes)) : map_pages(size_t(bytes));
  if (!data_) user_error("cannot allocate {} bytes for intermediate buffers: {}", bytes, strerror(errno));
  if (asks) ask_for_huge_pages(data_, bytes);
}

Arena::Arena(int64_t bytes, bool huge_pages, const AllocatorPointer& allocator)
    : Arena(allocator ? 0 : bytes, huge_pages) {
  if (!allocator || bytes == 0) return;
  owner_ = allocated_memory(allocator, size_t(bytes), 4096, "intermediate values");
  data_ = owner_.get();
  bytes_ = bytes;
  std::memset(data_, 0, size_t(bytes));
}

Arena::~Arena() {
  if (data_ && !owner_) ::munmap(data_, size_t(bytes_));
}

Arena::Arena(Arena&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      owner_(std::exchange(other.owner_, nullptr)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(owner_, other.owner_);
  return *this;
}

MappedFile::MappedFile(const std::string& path, const MapOptions& options) {
  // O_NONBLOCK: opening a FIFO without a writer must not block; the check below refuses it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) user_error("cannot open '{}': {}", path, strerror(errno));
  *this = MappedFile(file.fd, path, options);
}

MappedFile::MappedFile(int file, const std::string& path, const MapOptions& options) {
  struct stat status;
  if (::fstat(file, &status) != 0) user_error("cannot read '{}': {}", path, strerror(errno));
  if (!S_ISREG(status.st_mode)) user_error("'{}' is not a regular file", path);
  if (status.st_size > options.most_bytes)
    user_error("'{}' has {} bytes; at most {} are read", path, status.st_size, options.most_bytes);
  bytes_ = status.st_size;
  if (bytes_ == 0) return;
  if (options.copy)
    read_all([&](int64_t offset, std::span<char> to) { read_part(file, path, offset, to); }, options);
  else
    map(file, path, options);
}

MappedFile::MappedFile(int64_t bytes, const ReadPart& read, const MapOptions& options) : bytes_(bytes) {
  if (bytes_ > 0) read_all(read, options);
}

MappedFile::MappedFile(const char* data, int64_t bytes, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), data_(data), bytes_(bytes) {}

void MappedFile::map(int file, const std::string& path, const MapOptions& options) {
  void* memory =
      ::mmap(nullptr, size_t(bytes_), PROT_READ, MAP_SHARED | (options.populate ? MAP_POPULATE : 0), file, 0);
  if (memory == MAP_FAILED) user_error("cannot map '{}' ({} bytes): {}", path, bytes_, strerror(errno));
  data_ = static_cast<const char*>(memory);
  if (options.huge_pages) ask_for_huge_pages(data_, bytes_);
}

// Threads read stretches of the size of a huge page, so that each page is provided once.
void MappedFile::read_all(const ReadPart& read, const MapOptions& options) {
  const auto bytes = size_t(bytes_);
  copy_ = Arena(bytes_, options.huge_pages);
  data_ = copy_.data();
  if (options.on_memory) options.on_memory({copy_.data(), bytes});
  each_on_threads(options.threads, parts(bytes, kHugePage), [&](size_t stretch) {
    constexpr size_t kBlocks = kHugePage / kReadBlock;
    const size_t end = std::min((stretch + 1) * kBlocks, parts(bytes, kReadBlock));
    for (size_t block = stretch * kBlocks; block < end; block++) read_block(read, block, options);
  });
}

void MappedFile::read_block(const ReadPart& read, size_t index, const MapOptions& options) {
  const size_t begin = index * kReadBlock, bytes = std::min(kReadBlock, size_t(bytes_) - begin);
  read(int64_t(begin), {copy_.data() + begin, bytes});
  if (options.on_block) options.on_block(index, {data_ + begin, bytes});
}

MappedFile::~MappedFile() {
  if (data_ && !copy_.data() && !owner_) ::munmap(const_cast<char*>(data_), size_t(bytes_));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : copy_(std::move(other.copy_)),
      owner_(std::move(other.owner_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(copy_, other.copy_);
  std::swap(owner_, other.owner_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace cppgen::rt
