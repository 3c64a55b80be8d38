#pragma once
#include <span>
#include <vector>

#include "runtime/session/host_functions.h"

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

// As `join` and `part_of`, of tensors or of strings.
Value join_values(const HostCall&, std::span<const Value* const> parts, int64_t axis, bool new_axis);
Value part_of(const HostCall&, const Value&, int64_t axis, int64_t begin, int64_t count, bool drop);
// Of a tensor or of strings. UserError naming the node if it is something else.
const std::vector<int64_t>& dims_of(const HostCall&, const Value&);

}  // namespace cppgen::rt
