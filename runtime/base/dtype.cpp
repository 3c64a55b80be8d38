#include "runtime/base/dtype.h"

#include <array>

namespace cppgen {
namespace {
struct Row {
  size_t size;
  std::string_view name;
};
// Behind the types of tensors: strings, whose elements have no memory of their own in one (graph/string_elements.h).
constexpr std::array<Row, kDTypeCount + 1> kRows{
    {{4, "float32"},    {8, "float64"},        {2, "float16"}, {2, "bfloat16"},     {1, "int8"},
     {2, "int16"},      {4, "int32"},          {8, "int64"},   {1, "uint8"},        {2, "uint16"},
     {4, "uint32"},     {8, "uint64"},         {1, "bool"},    {1, "float8e4m3fn"}, {1, "float8e4m3fnuz"},
     {1, "float8e5m2"}, {1, "float8e5m2fnuz"}, {1, "int4"},    {1, "uint4"},        {8, "string"}}};
}  // namespace

size_t size_of(DType t) { return kRows[size_t(t)].size; }
std::string_view name_of(DType t) { return kRows[size_t(t)].name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kDTypeCount; i++)
    if (kRows[size_t(i)].name == name) return DType(i);
  return std::nullopt;
}

}  // namespace cppgen
