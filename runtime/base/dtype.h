#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen {

// Element types of tensors. `boolean` is stored as one byte, 0 or 1. float16 and bfloat16 are stored as 16 bits and
// computed in float32. So are the four formats of 8 bits (float8.h), which only conversions and operators that move
// elements take. Elements of fewer bits are one byte each in memory; files hold two or four in a byte: int4 in [-8, 7],
// uint4 in [0, 15], int2 in [-2, 1], uint2 in [0, 3], and the codes of float4e2m1. Kernels see float4e2m1 and
// float8e8m0 as codes, which only conversions turn into numbers (coded_floats.h).
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
  u4,
  i2,
  u2,
  f4e2m1,
  f8e8m0
};
inline constexpr int kDTypeCount = 23;

size_t size_of(DType);            // bytes of one element in memory
int bits_of(DType);               // of one element in a file
std::string_view name_of(DType);  // "float32", "int64", "bool" ...
std::optional<DType> dtype_from_name(std::string_view);

constexpr bool is_float8(DType t) { return t >= DType::f8e4m3fn && t <= DType::f8e5m2fnuz; }
constexpr bool is_small_int(DType t) { return t >= DType::i4 && t <= DType::u2; }  // of four or two bits
constexpr bool is_coded_float(DType t) { return t == DType::f4e2m1 || t == DType::f8e8m0; }
// Those that are only converted and moved.
constexpr bool is_narrow(DType t) { return is_float8(t) || is_small_int(t) || is_coded_float(t); }
constexpr bool is_float(DType t) { return t <= DType::bf16 || is_float8(t) || is_coded_float(t); }
constexpr bool is_signed_int(DType t) {
  return (t >= DType::i8 && t <= DType::i64) || t == DType::i4 || t == DType::i2;
}
constexpr bool is_unsigned_int(DType t) {
  return (t >= DType::u8 && t <= DType::u64) || t == DType::u4 || t == DType::u2;
}
constexpr bool is_int(DType t) { return is_signed_int(t) || is_unsigned_int(t); }

// The least and greatest integer that an element of this type of at most 32 bits stores.
struct IntegerRange {
  int64_t least, greatest;
};
IntegerRange range_of(DType integer);

}  // namespace cppgen
