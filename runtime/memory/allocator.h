#pragma once
#include <cstddef>
#include <memory>

namespace cppgen::rt {

// The application's memory. May be called by any thread.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes, size_t alignment) const = 0;  // null: there is no more memory
  virtual void release(void* memory, size_t bytes) const = 0;
};

using AllocatorPointer = std::shared_ptr<const Allocator>;  // null: the memory of the process

// Memory from `allocator`, which is not null and is kept for its lifetime, not initialised. UserError, saying that it
// is for `purpose`, if there is none, or if it is not aligned.
std::shared_ptr<char> allocated_memory(const AllocatorPointer& allocator, size_t bytes, size_t alignment,
                                       const char* purpose);

}  // namespace cppgen::rt
