#include "runtime/base/dtype.h"

namespace cppgen {

template <class Accept>
static std::optional<DType> first_type(Accept accept) {
  for (int i = 0; i < kDTypeCount; i++)
    if (accept(kDTypeRows[i])) return DType(i);
  return std::nullopt;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  return first_type([&](const DTypeRow& row) { return row.name == name; });
}

std::optional<DType> dtype_from_onnx(int64_t number) {
  return first_type([&](const DTypeRow& row) { return row.onnx == number; });
}

IntegerRange range_of(DType t) {
  const int bits = bits_of(t);
  if (is_signed_int(t)) return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return {0, (int64_t{1} << bits) - 1};
}

}  // namespace cppgen
