#pragma once
#include <cstdint>
#include <type_traits>

#include "runtime/base/dtype.h"
#include "runtime/base/errors.h"

namespace cppgen {

// Calls f with a value of the C++ type that computes values of this type: float, double, int8_t ..., bool.
// InternalError for types whose values are computed in another type (DTypeRow::value).
template <class F>
decltype(auto) with_value_type(DType type, F&& f) {
  switch (type) {
#define CPPGEN_DTYPE(...)
#define CPPGEN_VALUE_TYPE(id, NAME, name, Value, ...) \
  case DType::id:                                     \
    return f(Value());
#include "runtime/base/dtypes.def"
    default:
      internal_error("no value can have the type {}", name_of(type));
  }
}

// The type of such values in memory: bool is a byte.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// The type in which their sums and products are defined: integers wrap.
template <class T>
using Wrapping =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<Stored<T>>, std::type_identity<T>>::type;

}  // namespace cppgen
