#pragma once
#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace cppgen::rt {

// Strings as uint64 numbers, so that everything that moves elements of tensors can also move strings. Handle 0 is the
// empty string, which is the value of padding and of other default elements. The strings must outlive the handles.
class StringHandles {
 public:
  Tensor enter(const StringTensor&);
  StringTensor leave(const Tensor& handles) const;  // InternalError for an invalid handle

 private:
  std::vector<const std::string*> strings_{nullptr};
};

}  // namespace cppgen::rt
