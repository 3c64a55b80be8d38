#pragma once
#include <cstdint>
#include <type_traits>

#include "runtime/base/dtype.h"

namespace cppgen::rt {

// Elements are compared as integers with the same order: floats by their bits (NaN of either sign above infinity, -0
// equal to +0).
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
};

template <class Int>
struct IntKey {
  using Stored = Int;
  static std::make_unsigned_t<Int> of(Int value) {
    using Bits = std::make_unsigned_t<Int>;
    return Bits(Bits(value) ^ (std::is_signed_v<Int> ? Bits(Bits(1) << (8 * sizeof(Int) - 1)) : Bits(0)));
  }
};

// Calls visit.template operator()<Key>().
template <class Visit>
void with_key(DType type, const Visit& visit) {
  switch (type) {
    case DType::f32:
      return visit.template operator()<FloatKey<uint32_t, 0x7F800000>>();
    case DType::f64:
      return visit.template operator()<FloatKey<uint64_t, 0x7FF0000000000000>>();
    case DType::f16:
      return visit.template operator()<FloatKey<uint16_t, 0x7C00>>();
    case DType::bf16:
      return visit.template operator()<FloatKey<uint16_t, 0x7F80>>();
    case DType::i8:
      return visit.template operator()<IntKey<int8_t>>();
    case DType::i16:
      return visit.template operator()<IntKey<int16_t>>();
    case DType::i32:
      return visit.template operator()<IntKey<int32_t>>();
    case DType::i64:
      return visit.template operator()<IntKey<int64_t>>();
    case DType::u16:
      return visit.template operator()<IntKey<uint16_t>>();
    case DType::u32:
      return visit.template operator()<IntKey<uint32_t>>();
    case DType::u64:
      return visit.template operator()<IntKey<uint64_t>>();
    default:
      return visit.template operator()<IntKey<uint8_t>>();
  }
}

}  // namespace cppgen::rt
