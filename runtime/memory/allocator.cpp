#include "runtime/memory/allocator.h"

#include <cstdint>

#include "runtime/base/errors.h"

namespace cppgen::rt {

std::shared_ptr<char> allocated_memory(const AllocatorPointer& allocator, size_t bytes, size_t alignment,
                                       const char* purpose) {
  void* memory = allocator->allocate(bytes, alignment);
  if (!memory) user_error("the application's allocator has no {} bytes for {}", bytes, purpose);
  const auto release = [allocator, bytes](char* released) { allocator->release(released, bytes); };
  std::shared_ptr<char> owner(static_cast<char*>(memory), release);
  if (reinterpret_cast<uintptr_t>(memory) % alignment != 0)
    user_error("the application's allocator returned memory for {} that is not aligned to {} bytes", purpose,
               alignment);
  return owner;
}

}  // namespace cppgen::rt
