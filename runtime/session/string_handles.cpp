#include "runtime/session/string_handles.h"

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

Value join_values(const HostCall& call, std::span<const Value* const> parts, int64_t axis, bool new_axis) {
  StringHandles strings;
  std::vector<Tensor> entered;
  entered.reserve(parts.size());
  std::vector<const Tensor*> tensors;
  for (const Value* part : parts) {
    if (!part->tensor() && !part->strings()) call.fail(fmt::format("an element is {}", part->description()));
    if (!part->strings() != !parts[0]->strings()) call.fail("strings and numbers cannot be joined");
    if (part->strings()) entered.push_back(strings.enter(*part->strings()));
    tensors.push_back(part->strings() ? &entered.back() : part->tensor());
  }
  Tensor joined = join(call, tensors, axis, new_axis);
  if (!parts[0]->strings()) return joined;
  return strings.leave(joined);
}

Value part_of(const HostCall& call, const Value& x, int64_t axis, int64_t begin, int64_t count, bool drop) {
  if (!x.strings()) {
    dims_of(call, x);
    return part_of(*x.tensor(), axis, begin, count, drop);
  }
  StringHandles strings;
  return strings.leave(part_of(strings.enter(*x.strings()), axis, begin, count, drop));
}

const std::vector<int64_t>& dims_of(const HostCall& call, const Value& x) {
  if (x.strings()) return x.strings()->dims;
  if (!x.tensor()) call.fail(fmt::format("an input is {}, not a tensor", x.description()));
  return x.tensor()->dims();
}

}  // namespace cppgen::rt
