#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen {

// Element types of tensors. `boolean` is stored as one byte, 0 or 1. float16 and bfloat16 are stored as 16 bits and
// computed in float32.
enum class DType : uint8_t { f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
inline constexpr int kDTypeCount = 13;

size_t size_of(DType);            // bytes of one element
std::string_view name_of(DType);  // "float32", "int64", "bool" ...
std::optional<DType> dtype_from_name(std::string_view);

constexpr bool is_float(DType t) { return t <= DType::bf16; }
constexpr bool is_signed_int(DType t) { return t >= DType::i8 && t <= DType::i64; }
constexpr bool is_unsigned_int(DType t) { return t >= DType::u8 && t <= DType::u64; }
constexpr bool is_int(DType t) { return is_signed_int(t) || is_unsigned_int(t); }

}  // namespace cppgen
