#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/narrow_floats.h"
#include "runtime/base/value_types.h"

namespace cppgen::rt {

// Elements are compared as integers with the same order: floats by their bits (NaN of either sign above infinity, -0
// equal to +0). `number` gives a value that the CPU compares as fast as it reads it, in the same order but for NaN.
template <class Bits, Bits infinity>
struct FloatKey {
  using Stored = Bits;
  static Bits of(Bits bits) {
    constexpr Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
    const Bits magnitude = bits & Bits(~sign);
    Bits key = bits & sign ? Bits(~bits) : Bits(bits | sign);
    key = magnitude == 0 ? sign : key;
    return magnitude > infinity ? Bits(~Bits(0)) : key;
  }
  static auto number(Bits bits) {
    if constexpr (sizeof(Bits) == 4)
      return std::bit_cast<float>(bits);
    else if constexpr (sizeof(Bits) == 8)
      return std::bit_cast<double>(bits);
    else
      return of(bits);
  }
};

template <class Int>
struct IntKey {
  using Stored = Int;
  static std::make_unsigned_t<Int> of(Int value) {
    using Bits = std::make_unsigned_t<Int>;
    return Bits(Bits(value) ^ (std::is_signed_v<Int> ? Bits(Bits(1) << (8 * sizeof(Int) - 1)) : Bits(0)));
  }
  static Int number(Int value) { return value; }
};

template <class T>
auto key_of_value(T) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  if constexpr (std::is_floating_point_v<T>)
    return FloatKey<Bits, std::bit_cast<Bits>(std::numeric_limits<T>::infinity())>();
  else
    return IntKey<Stored<T>>();
}

template <DType type>
using NarrowKey =
    FloatKey<typename NarrowFloat<type>::Bits, NarrowFloat<type>::narrowed(std::numeric_limits<float>::infinity())>;

// Calls visit.template operator()<Key>(). InternalError for types that are only converted and moved.
template <class Visit>
void with_key(DType type, const Visit& visit) {
  switch (type) {
#define CPPGEN_DTYPE(...)
#define CPPGEN_FLOAT8(...)
#define CPPGEN_NARROW_FLOAT(id, ...) \
  case DType::id:                    \
    return visit.template operator()<NarrowKey<DType::id>>();
#include "runtime/base/dtypes.def"
    default:
      with_value_type(type, [&](auto value) { visit.template operator()<decltype(key_of_value(value))>(); });
  }
}

}  // namespace cppgen::rt
