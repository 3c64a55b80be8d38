#pragma once
#include <bit>
#include <cstdint>

#include "runtime/base/errors.h"
#include "runtime/base/float8.h"

namespace cppgen {

// float16 and bfloat16 as they are stored, and the float32 that they are computed in. Narrowing rounds to nearest even.

inline float f16_to_f32(uint16_t h) {
  const uint32_t sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude < 0x400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

constexpr uint16_t f32_to_f16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f), magnitude = bits & 0x7fffffffu;
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // 65520 and above round to infinity
  if (magnitude < 0x38800000u)                          // below 2^-14: adding 0.5 rounds to a multiple of 2^-24
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u);
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

inline float bf16_to_f32(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }

constexpr uint16_t f32_to_bf16(float f) {
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Does the same for each type with a row CPPGEN_NARROW_FLOAT in dtypes.def: float8 types by default.
template <DType T>
struct NarrowFloat {
  using Bits = uint8_t;
  static float widened(Bits code) { return f8_to_f32<float8_format(T)>(code); }
  static Bits narrowed(float x) { return f32_to_f8<float8_format(T)>(x); }
};
template <>
struct NarrowFloat<DType::f16> {
  using Bits = uint16_t;
  static float widened(Bits h) { return f16_to_f32(h); }
  static constexpr Bits narrowed(float x) { return f32_to_f16(x); }
};
template <>
struct NarrowFloat<DType::bf16> {
  using Bits = uint16_t;
  static float widened(Bits h) { return bf16_to_f32(h); }
  static constexpr Bits narrowed(float x) { return f32_to_bf16(x); }
};

constexpr bool is_narrow_float(DType type) {
  const DTypeStorage storage = dtype_row(type).storage;
  return storage == DTypeStorage::narrow_float || storage == DTypeStorage::float8;
}

// Calls f with NarrowFloat<type>(). InternalError unless is_narrow_float(type).
template <class F>
decltype(auto) with_narrow_float(DType type, F&& f) {
  switch (type) {
#define CPPGEN_DTYPE(...)
#define CPPGEN_NARROW_FLOAT(id, ...) \
  case DType::id:                    \
    return f(NarrowFloat<DType::id>());
#include "runtime/base/dtypes.def"
    default:
      internal_error("{} is not a narrow float", name_of(type));
  }
}

}  // namespace cppgen
