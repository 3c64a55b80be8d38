#include "cppgen/ir/interpreter/strip_kernels.h"
#include "cppgen/ir/values/value_ops.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen::ir {

namespace {

// A storage type: the stored bits, the value type, and how to get from one to the other.
template <class T>
struct Plain {
  using Bits = T;
  using Value = T;
  static Value read(Bits b) { return b; }
  static Bits write(Value v) { return v; }
};

template <class Format>  // NarrowFloat
struct Narrow {
  using Bits = typename Format::Bits;
  using Value = float;
  static Value read(Bits b) { return Format::widened(b); }
  static Bits write(Value v) { return Format::narrowed(v); }
};

struct Byte {
  using Bits = uint8_t;
  using Value = bool;
  static Value read(Bits b) { return b != 0; }
  static Bits write(Value v) { return v; }
};

template <class S>
void load(void* dst, const void* src, int64_t stride, int n) {
  auto* __restrict r = static_cast<typename S::Value*>(dst);
  const auto* __restrict a = static_cast<const typename S::Bits*>(src);
  if (stride == 0) {
    const auto value = S::read(a[0]);
    for (int i = 0; i < n; i++) r[i] = value;
  } else if (stride == 1) {
    for (int i = 0; i < n; i++) r[i] = S::read(a[i]);
  } else {
    for (int i = 0; i < n; i++) r[i] = S::read(a[i * stride]);
  }
}

template <class S>
void gather(void* dst, const void* src, const int64_t* offsets, const uint8_t* mask, int n) {
  auto* __restrict r = static_cast<typename S::Value*>(dst);
  const auto* a = static_cast<const typename S::Bits*>(src);
  if (mask) {
    for (int i = 0; i < n; i++)
      if (mask[i]) r[i] = S::read(a[offsets[i]]);
  } else {
    for (int i = 0; i < n; i++) r[i] = S::read(a[offsets[i]]);
  }
}

template <class S>
void store(void* dst, int64_t stride, const void* src, int n) {
  auto* __restrict r = static_cast<typename S::Bits*>(dst);
  const auto* __restrict a = static_cast<const typename S::Value*>(src);
  if (stride == 1) {
    for (int i = 0; i < n; i++) r[i] = S::write(a[i]);
  } else {
    for (int i = 0; i < n; i++) r[i * stride] = S::write(a[i]);
  }
}

template <class S>
void scatter(void* dst, const int64_t* offsets, const void* src, int n) {
  auto* r = static_cast<typename S::Bits*>(dst);
  const auto* a = static_cast<const typename S::Value*>(src);
  for (int i = 0; i < n; i++) r[offsets[i]] = S::write(a[i]);
}

template <class S>
constexpr StorageKernels kernels{load<S>, gather<S>, store<S>, scatter<S>};

}  // namespace

const StorageKernels& storage_kernels(DType storage) {
  if (is_narrow_float(storage))
    return with_narrow_float(storage,
                             [](auto narrow) -> const StorageKernels& { return kernels<Narrow<decltype(narrow)>>; });
  if (storage == DType::boolean) return kernels<Byte>;
  return with_value_type(value_type(storage),
                         [](auto t) -> const StorageKernels& { return kernels<Plain<decltype(t)>>; });
}

}  // namespace cppgen::ir
