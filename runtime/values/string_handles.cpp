#include "runtime/values/string_handles.h"

#include "runtime/base/errors.h"

namespace cppgen::rt {

Tensor StringHandles::enter(const StringTensor& x) {
  Tensor handles(DType::u64, x.dims);
  check(handles.elements() == int64_t(x.elements.size()), "a tensor of strings has other elements than its shape");
  for (size_t i = 0; i < x.elements.size(); i++) {
    handles.as<uint64_t>()[i] = strings_.size();
    strings_.push_back(&x.elements[i]);
  }
  return handles;
}

StringTensor StringHandles::leave(const Tensor& handles) const {
  check(handles.type() == DType::u64, "handles of strings are of another type");
  StringTensor x{handles.dims(), std::vector<std::string>(size_t(handles.elements()))};
  for (size_t i = 0; i < x.elements.size(); i++) {
    const uint64_t handle = handles.as<uint64_t>()[i];
    check(handle < strings_.size(), "a handle of no string");
    if (handle) x.elements[i] = *strings_[handle];
  }
  return x;
}

}  // namespace cppgen::rt
