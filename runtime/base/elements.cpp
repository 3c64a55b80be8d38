#include "runtime/base/elements.h"

#include <cstring>

#include "runtime/base/coded_floats.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/base/value_types.h"

namespace cppgen {

template <class T>
static T at(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(data) + index, sizeof value);  // constants need not be aligned
  return value;
}

double number_element(DType type, const void* data, int64_t index) {
  if (is_coded_float(type)) return decoded(type, at<uint8_t>(data, index));
  if (is_narrow_float(type))
    return with_narrow_float(
        type, [&](auto narrow) -> double { return narrow.widened(at<typename decltype(narrow)::Bits>(data, index)); });
  return with_value_type(dtype_row(type).value,
                         [&](auto value) { return double(at<Stored<decltype(value)>>(data, index)); });
}

int64_t integer_element(DType type, const void* data, int64_t index) {
  if (!is_int(type) && type != DType::boolean) internal_error("integer element of a {} tensor", name_of(type));
  return with_value_type(dtype_row(type).value,
                         [&](auto value) { return int64_t(at<Stored<decltype(value)>>(data, index)); });
}

}  // namespace cppgen
