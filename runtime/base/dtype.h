#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen {

// Element types of tensors. `boolean` is stored as one byte, 0 or 1. float16 and bfloat16 are stored as 16 bits and
// computed in float32. So are the four formats of 8 bits (float8.h), which only conversions and operators that move
// elements take. int4 and uint4 are one byte an element in memory, in [-8, 7] and [0, 15]; files hold two in a byte.
enum class DType : uint8_t {
  f32,
  f64,
  f16,
  bf16,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  boolean,
  f8e4m3fn,
  f8e4m3fnuz,
  f8e5m2,
  f8e5m2fnuz,
  i4,
  u4
};
inline constexpr int kDTypeCount = 19;

size_t size_of(DType);            // bytes of one element
std::string_view name_of(DType);  // "float32", "int64", "bool" ...
std::optional<DType> dtype_from_name(std::string_view);

constexpr bool is_float8(DType t) { return t >= DType::f8e4m3fn && t <= DType::f8e5m2fnuz; }
constexpr bool is_four_bits(DType t) { return t == DType::i4 || t == DType::u4; }
constexpr bool is_float(DType t) { return t <= DType::bf16 || is_float8(t); }
constexpr bool is_signed_int(DType t) { return (t >= DType::i8 && t <= DType::i64) || t == DType::i4; }
constexpr bool is_unsigned_int(DType t) { return (t >= DType::u8 && t <= DType::u64) || t == DType::u4; }
constexpr bool is_int(DType t) { return is_signed_int(t) || is_unsigned_int(t); }

}  // namespace cppgen
