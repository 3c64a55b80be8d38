#include "runtime/host/value_parts.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/errors.h"
#include "runtime/values/string_handles.h"

namespace cppgen::rt {
namespace {

// Elements before, along and after an axis.
struct Split {
  int64_t outer = 1, extent = 1, inner = 1;
  Split(std::span<const int64_t> dims, int64_t axis) {
    for (size_t d = 0; d < dims.size(); d++)
      (int64_t(d) < axis ? outer : int64_t(d) == axis ? extent : inner) *= dims[d];
  }
};

Tensor join(const HostCall& call, std::span<const Tensor* const> parts, int64_t axis, bool new_axis) {
  std::vector<int64_t> dims = parts[0]->dims();
  if (new_axis) dims.insert(dims.begin() + axis, 1);
  int64_t extent = 0;
  for (const Tensor* part : parts) {
    std::vector<int64_t> own = part->dims();
    if (new_axis) own.insert(own.begin() + std::min<int64_t>(axis, int64_t(own.size())), 1);
    const bool fits = own.size() == dims.size() && part->type() == parts[0]->type();
    for (size_t d = 0; d < dims.size(); d++)
      if (!fits || (int64_t(d) != axis && own[d] != dims[d]))
        call.fail(fmt::format("elements of shapes {} and {} cannot be concatenated along axis {}",
                              shape_text(parts[0]->dims()), shape_text(part->dims()), axis));
    extent += own[size_t(axis)];
  }
  dims[size_t(axis)] = extent;
  Tensor result(parts[0]->type(), dims);
  const Split whole(dims, axis);
  const int64_t row = whole.inner * int64_t(size_of(result.type()));
  int64_t at = 0;
  for (const Tensor* part : parts) {
    const int64_t bytes = whole.outer == 0 ? 0 : part->bytes() / whole.outer;
    for (int64_t o = 0; o < whole.outer && bytes > 0; o++)
      std::memcpy(result.as<char>() + (o * extent) * row + at, part->as<char>() + o * bytes, size_t(bytes));
    at += bytes;
  }
  return result;
}

Tensor part_of(const Tensor& tensor, int64_t axis, int64_t begin, int64_t count, bool drop) {
  std::vector<int64_t> dims = tensor.dims();
  const Split whole(dims, axis);
  dims[size_t(axis)] = count;
  if (drop) dims.erase(dims.begin() + axis);
  Tensor result(tensor.type(), dims);
  const int64_t row = whole.inner * int64_t(size_of(tensor.type())), bytes = count * row;
  for (int64_t o = 0; o < whole.outer && bytes > 0; o++)
    std::memcpy(result.as<char>() + o * bytes, tensor.as<char>() + (o * whole.extent + begin) * row, size_t(bytes));
  return result;
}

}  // namespace

Value join_values(const HostCall& call, std::span<const Value* const> parts, int64_t axis, bool new_axis) {
  StringHandles strings;
  std::vector<Tensor> entered;
  entered.reserve(parts.size());
  std::vector<const Tensor*> tensors;
  for (const Value* part : parts) {
    if (!part->tensor() && !part->strings()) call.fail(fmt::format("an element is {}", part->description()));
    if (!part->strings() != !parts[0]->strings()) call.fail("strings and numbers cannot be concatenated");
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
