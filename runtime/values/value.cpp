#include "runtime/values/value.h"

#include <cstring>

#include "runtime/base/errors.h"

namespace cppgen::rt {

Tensor Value::take_tensor() && {
  auto* held = std::get_if<std::shared_ptr<Tensor>>(&content_);
  check(held, "a value that is not a tensor is used as one");
  return held->use_count() == 1 ? std::move(**held) : copy_of((*held)->view());
}

std::string Value::description() const {
  if (const Tensor* t = tensor())
    return fmt::format("a {} tensor of shape {}", name_of(t->type()), shape_text(t->dims()));
  if (const StringTensor* s = strings()) return fmt::format("a string tensor of shape {}", shape_text(s->dims));
  if (const Sequence* s = sequence()) return fmt::format("a sequence of {}", s->size());
  return "an empty optional";
}

Tensor copy_of(const TensorView& view) {
  Tensor copy(view.type, {view.dims.begin(), view.dims.end()});
  if (const int64_t bytes = copy.bytes(); bytes > 0) std::memcpy(copy.data(), view.data, size_t(bytes));
  return copy;
}

Tensor scalar_tensor(DType type, const void* element) { return copy_of({type, {}, element}); }
Tensor tensor_of(int64_t value) { return scalar_tensor(DType::i64, &value); }
Tensor tensor_of(bool value) { return scalar_tensor(DType::boolean, &value); }

}  // namespace cppgen::rt
