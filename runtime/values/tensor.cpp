#include "runtime/values/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/base/usable_memory.h"

namespace cppgen::rt {

int64_t element_count(std::span<const int64_t> dims) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0) user_error("tensor of shape {}: dimensions must be at least 0", shape_text(dims));
    empty |= dim == 0;
  }
  if (empty) return 0;
  for (int64_t dim : dims) count = checked_mul(count, dim, "tensor size");
  return count;
}

int64_t byte_size(DType type, std::span<const int64_t> dims) {
  return checked_mul(element_count(dims), int64_t(size_of(type)), "tensor size");
}

std::string shape_text(std::span<const int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

void Tensor::Free::operator()(void* memory) const {
  if (!owner) std::free(memory);
}

Tensor::Tensor(DType type, std::vector<int64_t> dims, void* data, std::shared_ptr<const void> owner)
    : type_(type), dims_(std::move(dims)), data_(data, Free{std::move(owner)}) {}

Tensor::Tensor(DType type, std::vector<int64_t> dims, const AllocatorPointer& allocator) {
  if (!allocator) {
    *this = Tensor(type, std::move(dims));
    return;
  }
  const int64_t bytes = std::max<int64_t>(byte_size(type, dims), 1);
  const std::shared_ptr<char> memory = allocated_memory(allocator, size_t(bytes), 64, "a tensor");
  *this = Tensor(type, std::move(dims), memory.get(), memory);
}

Tensor::Tensor(DType type, std::vector<int64_t> dims) : type_(type), dims_(std::move(dims)) {
  const int64_t bytes = byte_size(type_, dims_);
  static const int64_t memory = usable_memory();
  if (bytes > memory)
    user_error("cannot allocate {} bytes for a tensor of shape {}: this process has {} bytes of memory", bytes,
               shape_text(dims_), memory);
  const int64_t rounded = checked_add(bytes, 64, "tensor size") / 64 * 64;  // of aligned_alloc: a multiple, not 0
  data_.reset(std::aligned_alloc(64, size_t(rounded)));
  if (!data_) user_error("cannot allocate {} bytes for a tensor of shape {}", bytes, shape_text(dims_));
}

}  // namespace cppgen::rt
