#pragma once
#include <cstdint>
#include <type_traits>

#include "runtime/base/value_types.h"
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
  const auto arithmetic = [&]<class T>(T) {
    switch (combine) {
      case Combine::sum:
        return visit.template operator()<Wrapping<T>, Combine::sum>();
      case Combine::prod:
        return visit.template operator()<Wrapping<T>, Combine::prod>();
      case Combine::max:
        return visit.template operator()<Stored<T>, Combine::max>();
      case Combine::min:
        return visit.template operator()<Stored<T>, Combine::min>();
      case Combine::replace:
        return visit.template operator()<Wrapping<T>, Combine::replace>();
    }
  };
  if (dtype_row(type).storage == DTypeStorage::value) return with_value_type(type, arithmetic);
  size_of(type) == 2 ? arithmetic(uint16_t()) : arithmetic(uint8_t());  // moved only
}

}  // namespace cppgen::rt
