#pragma once
#include <cstdint>
#include <type_traits>

#include "runtime/base/dtype.h"
#include "runtime/plan/calls/scatter.h"

namespace cppgen::rt {

template <class T, Combine combine>
T combined(T a, T b) {
  if constexpr (combine == Combine::replace) return b;
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // in which overflow is defined
  if constexpr (combine == Combine::sum) return T(Wide(a) + Wide(b));
  if constexpr (combine == Combine::prod) return T(Wide(a) * Wide(b));
  if constexpr (combine == Combine::max) return a > b || a != a ? a : b;
  if constexpr (combine == Combine::min) return a < b || a != a ? a : b;
}

// Calls visit.template operator()<T, combine>() for a type that has the elements' bits and arithmetic.
template <class Visit>
void with_type(DType type, Combine combine, const Visit& visit) {
  auto arithmetic = [&]<class Signed, class Unsigned>(Signed, Unsigned) {
    switch (combine) {
      case Combine::sum:
        return visit.template operator()<Unsigned, Combine::sum>();
      case Combine::prod:
        return visit.template operator()<Unsigned, Combine::prod>();
      case Combine::max:
        return visit.template operator()<Signed, Combine::max>();
      case Combine::min:
        return visit.template operator()<Signed, Combine::min>();
      case Combine::replace:
        return visit.template operator()<Unsigned, Combine::replace>();
    }
  };
  switch (type) {
    case DType::f32:
      return arithmetic(float(), float());
    case DType::f64:
      return arithmetic(double(), double());
    case DType::i8:
      return arithmetic(int8_t(), uint8_t());
    case DType::i16:
      return arithmetic(int16_t(), uint16_t());
    case DType::i32:
      return arithmetic(int32_t(), uint32_t());
    case DType::i64:
      return arithmetic(int64_t(), uint64_t());
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return arithmetic(uint16_t(), uint16_t());
    case DType::u32:
      return arithmetic(uint32_t(), uint32_t());
    case DType::u64:
      return arithmetic(uint64_t(), uint64_t());
    default:
      return arithmetic(uint8_t(), uint8_t());
  }
}

}  // namespace cppgen::rt
