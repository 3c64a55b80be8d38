#include "runtime/base/dtype.h"

#include <array>

namespace cppgen {
namespace {
struct Row {
  int bits;
  std::string_view name;
};
// Behind the types of tensors: strings, whose elements have no memory of their own in one (graph/string_elements.h).
constexpr std::array<Row, kDTypeCount + 1> kRows{
    {{32, "float32"},   {64, "float64"},       {16, "float16"},   {16, "bfloat16"},    {8, "int8"},
     {16, "int16"},     {32, "int32"},         {64, "int64"},     {8, "uint8"},        {16, "uint16"},
     {32, "uint32"},    {64, "uint64"},        {8, "bool"},       {8, "float8e4m3fn"}, {8, "float8e4m3fnuz"},
     {8, "float8e5m2"}, {8, "float8e5m2fnuz"}, {4, "int4"},       {4, "uint4"},        {2, "int2"},
     {2, "uint2"},      {4, "float4e2m1"},     {8, "float8e8m0"}, {64, "string"}}};
}  // namespace

size_t size_of(DType t) { return size_t(kRows[size_t(t)].bits + 7) / 8; }
int bits_of(DType t) { return kRows[size_t(t)].bits; }
std::string_view name_of(DType t) { return kRows[size_t(t)].name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; i++)
    if (kRows[size_t(i)].name == name) return DType(i);
  return std::nullopt;
}

IntegerRange range_of(DType t) {
  const int bits = bits_of(t);
  if (is_signed_int(t)) return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return {0, (int64_t{1} << bits) - 1};
}

}  // namespace cppgen
