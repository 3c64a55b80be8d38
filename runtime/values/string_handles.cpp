#include "runtime/values/string_handles.h"

#include "runtime/base/errors.h"

namespace cppgen::rt {

Tensor StringHandles::enter(const StringTensor& x) {
  Tensor handles(DType::u64, x.dims);
  check(handles.elements() == int64_t(x.elements.size()),
        "the number of elements of a string tensor does not match its shape");
  for (size_t i = 0; i < x.elements.size(); i++) {
    handles.as<uint64_t>()[i] = strings_.size();
    strings_.push_back(&x.elements[i]);
  }
  return handles;
}

StringTensor StringHandles::leave(const Tensor& handles) const {
  check(handles.type() == DType::u64, "string handles have a wrong type");
  StringTensor x{handles.dims(), std::vector<std::string>(size_t(handles.elements()))};
  for (size_t i = 0; i < x.elements.size(); i++) {
    const uint64_t handle = handles.as<uint64_t>()[i];
    check(handle < strings_.size(), "an invalid string handle");
    if (handle) x.elements[i] = *strings_[handle];
  }
  return x;
}

}  // namespace cppgen::rt
