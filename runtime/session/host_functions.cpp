#include "runtime/session/host_functions.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/errors.h"

namespace cppgen::rt {

const Tensor& HostCall::tensor(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const Tensor* t = inputs[i]->tensor()) return *t;
  fail(fmt::format("input {} is {}, not a tensor of numbers", i, inputs[i]->description()));
}

const StringTensor& HostCall::strings(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const StringTensor* t = inputs[i]->strings()) return *t;
  fail(fmt::format("input {} is {}, not a tensor of strings", i, inputs[i]->description()));
}

const Value::Sequence& HostCall::sequence(size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i));
  if (const Value::Sequence* s = inputs[i]->sequence()) return *s;
  fail(fmt::format("input {} is {}, not a sequence", i, inputs[i]->description()));
}

int64_t HostCall::integer(size_t i) const {
  const Tensor& t = tensor(i);
  if (t.elements() != 1) fail(fmt::format("input {} has {} elements, not 1", i, t.elements()));
  if (t.type() == DType::i64) return *t.as<int64_t>();
  if (t.type() == DType::i32) return *t.as<int32_t>();
  fail(fmt::format("input {} is {}, not int32 or int64", i, name_of(t.type())));
}

void HostCall::fail(const std::string& what) const { throw UserError(fmt::format("{}: {}", step.origin, what)); }

std::vector<Value> one_value(Value value) {
  std::vector<Value> values;
  values.push_back(std::move(value));
  return values;
}

HostFunction find_host_function(const HostStep& step) {
  for (const auto functions :
       {sequence_functions(), selection_functions(), choice_functions(), suppression_functions(), string_functions(),
        text_functions(), image_functions(), map_functions(), decoding_functions()})
    for (const NamedHostFunction& f : functions) {
      if (f.name != step.function) continue;
      if (step.inputs.size() < f.inputs || step.integers.size() < f.integers || step.texts.size() < f.texts)
        user_error("module: a call of '{}' has {} inputs, {} integers and {} texts", f.name, step.inputs.size(),
                   step.integers.size(), step.texts.size());
      return f.prepare ? f.prepare(step) : f.run;
    }
  user_error("module: there is no host function '{}'", step.function);
}

namespace {

// Elements before, along and after an axis.
struct Split {
  int64_t outer = 1, extent = 1, inner = 1;
  Split(std::span<const int64_t> dims, int64_t axis) {
    for (size_t d = 0; d < dims.size(); d++)
      (int64_t(d) < axis ? outer : int64_t(d) == axis ? extent : inner) *= dims[d];
  }
};

}  // namespace

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
        call.fail(fmt::format("elements of shapes {} and {} cannot be joined along axis {}",
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

}  // namespace cppgen::rt
