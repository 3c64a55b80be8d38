#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/memory/allocator.h"

namespace cppgen::rt {

// A view of a dense row-major tensor that belongs to the caller.
struct TensorView {
  DType type = DType::f32;
  std::span<const int64_t> dims;
  const void* data = nullptr;  // aligned to its elements; may be null if there are none
};

// Memory of the caller for a result.
struct OutputView {
  DType type = DType::f32;
  std::span<const int64_t> dims;
  void* data = nullptr;
};

int64_t element_count(std::span<const int64_t> dims);          // UserError on overflow or a negative dimension
int64_t byte_size(DType type, std::span<const int64_t> dims);  // likewise
std::string shape_text(std::span<const int64_t> dims);         // "[2, 3]"

// A dense row-major tensor with its own memory, which is 64-byte aligned and not initialised.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType type, std::vector<int64_t> dims);  // UserError if its size overflows or the memory cannot be allocated
  // Its memory is from `allocator`, if it is not null.
  Tensor(DType type, std::vector<int64_t> dims, const AllocatorPointer& allocator);
  // A tensor in memory that `owner` keeps alive.
  Tensor(DType type, std::vector<int64_t> dims, void* data, std::shared_ptr<const void> owner);

  DType type() const { return type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t elements() const { return element_count(dims_); }
  int64_t bytes() const { return byte_size(type_, dims_); }
  void* data() { return data_.get(); }
  const void* data() const { return data_.get(); }
  template <class T>
  T* as() {
    return static_cast<T*>(data());
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data());
  }

  TensorView view() const { return {type_, dims_, data()}; }
  OutputView output() { return {type_, dims_, data()}; }

 private:
  struct Free {
    std::shared_ptr<const void> owner;  // null: the tensor itself
    void operator()(void* memory) const;
  };
  DType type_ = DType::f32;
  std::vector<int64_t> dims_{0};
  std::unique_ptr<void, Free> data_;
};

}  // namespace cppgen::rt
