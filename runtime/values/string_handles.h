#pragma once
#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace cppgen::rt {

// Strings as uint64 numbers, so that whatever moves elements of tensors moves strings, too. Handle 0 is the empty
// string, which padding and other elements that nobody gave are. The strings outlive the handles.
class StringHandles {
 public:
  Tensor enter(const StringTensor&);
  StringTensor leave(const Tensor& handles) const;  // InternalError for what is no handle

 private:
  std::vector<const std::string*> strings_{nullptr};
};

}  // namespace cppgen::rt
