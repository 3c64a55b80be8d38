#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cppgen {

// Element types of tensors: the rows of dtypes.def. `boolean` is stored as one byte, 0 or 1. float16 and bfloat16 are
// stored as 16 bits and computed in float32. So are the 8-bit formats (float8.h), which only conversions and operators
// that move elements accept. Elements of fewer bits take one byte each in memory; files store two or four per byte:
// int4 in [-8, 7], uint4 in [0, 15], int2 in [-2, 1], uint2 in [0, 3], and the codes of float4e2m1. Kernels see
// float4e2m1 and float8e8m0 as codes, which only conversions turn into numbers (coded_floats.h).
enum class DType : uint8_t {
#define CPPGEN_DTYPE(id, ...) id,
#include "runtime/base/dtypes.def"
};

inline constexpr int kDTypeCount = 0
#define CPPGEN_DTYPE(...) +1
#include "runtime/base/dtypes.def"
    ;

enum class DTypeClass : uint8_t { floating, signed_integer, unsigned_integer, truth, text };

// States how elements become values: unchanged; as float32, from 16 or 8 bits; as bytes that hold an integer of fewer
// bits; as bytes that encode numbers.
enum class DTypeStorage : uint8_t { value, narrow_float, float8, small_integer, code };

struct DTypeRow {
  std::string_view name;  // "float32", "int64", "bool" ...
  DTypeStorage storage;
  DTypeClass number;
  int bits, onnx;
  std::string_view npy;
  DType value;
  std::string_view emitted;
};

inline constexpr DTypeRow kDTypeRows[] = {
#define CPPGEN_DTYPE(id, NAME, name, storage, number, bits, onnx, npy, value, emitted) \
  {name, DTypeStorage::storage, DTypeClass::number, bits, onnx, npy, DType::value, emitted},
#include "runtime/base/dtypes.def"
    // The value after the types of tensors means strings, whose elements have no memory in a tensor
    // (graph/string_elements.h).
    {"string", DTypeStorage::value, DTypeClass::text, 64, 8, "", DType(kDTypeCount), ""}};

constexpr const DTypeRow& dtype_row(DType t) { return kDTypeRows[size_t(t)]; }
constexpr size_t size_of(DType t) { return size_t(dtype_row(t).bits + 7) / 8; }  // bytes of one element in memory
constexpr int bits_of(DType t) { return dtype_row(t).bits; }                     // bits of one element in a file
constexpr std::string_view name_of(DType t) { return dtype_row(t).name; }
std::optional<DType> dtype_from_name(std::string_view);
std::optional<DType> dtype_from_onnx(int64_t number);  // number in TensorProto.DataType

constexpr bool is_float8(DType t) { return dtype_row(t).storage == DTypeStorage::float8; }
constexpr bool is_small_int(DType t) { return dtype_row(t).storage == DTypeStorage::small_integer; }  // below 8 bits
constexpr bool is_coded_float(DType t) { return dtype_row(t).storage == DTypeStorage::code; }
// Types that can only be converted and moved.
constexpr bool is_narrow(DType t) { return is_float8(t) || is_small_int(t) || is_coded_float(t); }
constexpr bool is_float(DType t) { return dtype_row(t).number == DTypeClass::floating; }
constexpr bool is_signed_int(DType t) { return dtype_row(t).number == DTypeClass::signed_integer; }
constexpr bool is_unsigned_int(DType t) { return dtype_row(t).number == DTypeClass::unsigned_integer; }
constexpr bool is_int(DType t) { return is_signed_int(t) || is_unsigned_int(t); }

// The smallest and largest integer that an element of this type, of at most 32 bits, can store.
struct IntegerRange {
  int64_t least, greatest;
};
IntegerRange range_of(DType integer);

}  // namespace cppgen
