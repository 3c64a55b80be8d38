#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/values/tensor.h"

namespace cppgen::rt {

// A dense row-major tensor of strings.
struct StringTensor {
  std::vector<int64_t> dims;
  std::vector<std::string> elements;
};

// A value that is passed between plans, host functions and control flow: nothing (an empty optional), a tensor,
// strings, or a sequence. Values are shared and immutable, so copying is cheap.
class Value {
 public:
  using Sequence = std::vector<Value>;

  Value() = default;
  Value(Tensor tensor) : content_(std::make_shared<Tensor>(std::move(tensor))) {}
  Value(StringTensor strings) : content_(std::make_shared<const StringTensor>(std::move(strings))) {}
  explicit Value(Sequence elements) : content_(std::make_shared<const Sequence>(std::move(elements))) {}

  bool is_empty() const { return content_.index() == 0; }
  const Tensor* tensor() const { return get<Tensor>(); }  // null if the value is of another kind
  const StringTensor* strings() const { return get<const StringTensor>(); }
  const Sequence* sequence() const { return get<const Sequence>(); }

  // The tensor itself if it is not shared, else a copy. InternalError if the value is of another kind.
  Tensor take_tensor() &&;
  std::string description() const;  // "a float32 tensor of shape [2, 3]", "a sequence of 3", for messages

 private:
  template <class T>
  const T* get() const {
    const auto* held = std::get_if<std::shared_ptr<T>>(&content_);
    return held ? held->get() : nullptr;
  }
  std::variant<std::monostate, std::shared_ptr<Tensor>, std::shared_ptr<const StringTensor>,
               std::shared_ptr<const Sequence>>
      content_;
};

Tensor copy_of(const TensorView&);
Tensor scalar_tensor(DType, const void* element);  // without dimensions
Tensor tensor_of(int64_t);
Tensor tensor_of(bool);

}  // namespace cppgen::rt
