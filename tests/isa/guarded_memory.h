#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace vec_test {

// Memory whose last byte is followed by a page that cannot be touched, and whose first is preceded by one.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes = 4 * kPage) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    base_ = static_cast<char*>(mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + kPage, bytes_, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
  }
  ~GuardedMemory() { munmap(base_, bytes_ + 2 * kPage); }
  GuardedMemory(const GuardedMemory&) = delete;
  void* ending(size_t bytes) { return base_ + kPage + bytes_ - bytes; }
  void* beginning() { return base_ + kPage; }

 private:
  static constexpr size_t kPage = 4096;
  size_t bytes_;
  char* base_;
};

}  // namespace vec_test
