#pragma once
#include <span>
#include <vector>

#include "runtime/session/c_api_support.h"

namespace cppgen::rt {

// Views of the caller's tensors, on the stack for usual counts, so that a run allocates nothing.
template <class View>
class Views {
 public:
  Views(const cppgen_tensor* tensors, size_t count) {
    require_argument(tensors || count == 0, "tensors");
    View* views = few_;
    if (count > kFew) {
      many_.resize(count);
      views = many_.data();
    }
    for (size_t i = 0; i < count; i++) {
      const cppgen_tensor& tensor = tensors[i];
      if (unsigned(tensor.dtype) >= unsigned(kDTypeCount))
        user_error("tensor {} has the unknown type {}", i, int(tensor.dtype));
      require_argument(tensor.dims || tensor.rank == 0, "dims");
      views[i] = {DType(tensor.dtype), {tensor.dims, tensor.rank}, tensor.data};
    }
    views_ = {views, count};
  }
  std::span<const View> get() const { return views_; }

 private:
  static constexpr size_t kFew = 16;
  View few_[kFew];
  std::vector<View> many_;
  std::span<const View> views_;
};

}  // namespace cppgen::rt
