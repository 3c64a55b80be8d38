#include "runtime/base/elements.h"

#include <cstring>

#include "runtime/base/coded_floats.h"
#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen {

template <class T>
static T at(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(data) + index, sizeof value);  // constants need not be aligned
  return value;
}

template <DType T>
static float narrow_at(const void* data, int64_t index) {
  return NarrowFloat<T>::widened(at<typename NarrowFloat<T>::Bits>(data, index));
}

double number_element(DType type, const void* data, int64_t index) {
  switch (type) {
    case DType::f32:
      return at<float>(data, index);
    case DType::f64:
      return at<double>(data, index);
#define CPPGEN_DTYPE(...)
#define CPPGEN_NARROW_FLOAT(id, ...) \
  case DType::id:                    \
    return narrow_at<DType::id>(data, index);
#include "runtime/base/dtypes.def"
    case DType::u64:
      return double(at<uint64_t>(data, index));
    default:
      return is_coded_float(type) ? decoded(type, at<uint8_t>(data, index))
                                  : double(integer_element(type, data, index));
  }
}

template <class Signed, class Unsigned>
static int64_t integer_at(bool is_signed, const void* data, int64_t index) {
  return is_signed ? int64_t(at<Signed>(data, index)) : int64_t(at<Unsigned>(data, index));
}

int64_t integer_element(DType type, const void* data, int64_t index) {
  if (!is_int(type) && type != DType::boolean) internal_error("integer element of a {} tensor", name_of(type));
  const bool is_signed = is_signed_int(type);
  switch (size_of(type)) {
    case 1:
      return integer_at<int8_t, uint8_t>(is_signed, data, index);
    case 2:
      return integer_at<int16_t, uint16_t>(is_signed, data, index);
    case 4:
      return integer_at<int32_t, uint32_t>(is_signed, data, index);
    default:
      return integer_at<int64_t, uint64_t>(is_signed, data, index);
  }
}

}  // namespace cppgen
