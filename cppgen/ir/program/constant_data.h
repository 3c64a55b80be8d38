#pragma once
#include <cstddef>
#include <memory>

namespace cppgen::ir {

// Bytes of a constant tensor, row-major; shared, possibly mapped from a file.
struct ConstantData {
  std::shared_ptr<const void> owner;
  const void* bytes = nullptr;
  size_t size = 0;
};

}  // namespace cppgen::ir
