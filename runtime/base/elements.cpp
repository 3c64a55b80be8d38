#include "runtime/base/elements.h"

#include <cstring>

#include "runtime/base/coded_floats.h"
#include "runtime/base/errors.h"
#include "runtime/base/float8.h"
#include "runtime/base/narrow_floats.h"

namespace cppgen {

template <class T>
static T at(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(data) + index, sizeof value);  // constants need not be aligned
  return value;
}

double number_element(DType type, const void* data, int64_t index) {
  switch (type) {
    case DType::f32:
      return at<float>(data, index);
    case DType::f64:
      return at<double>(data, index);
    case DType::f16:
      return f16_to_f32(at<uint16_t>(data, index));
    case DType::bf16:
      return bf16_to_f32(at<uint16_t>(data, index));
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
      return f8_to_f32(type, at<uint8_t>(data, index));
    case DType::f4e2m1:
    case DType::f8e8m0:
      return decoded(type, at<uint8_t>(data, index));
    case DType::u64:
      return double(at<uint64_t>(data, index));
    default:
      return double(integer_element(type, data, index));
  }
}

int64_t integer_element(DType type, const void* data, int64_t index) {
  switch (type) {
    case DType::i8:
    case DType::i4:
    case DType::i2:
      return at<int8_t>(data, index);
    case DType::i16:
      return at<int16_t>(data, index);
    case DType::i32:
      return at<int32_t>(data, index);
    case DType::i64:
      return at<int64_t>(data, index);
    case DType::u8:
    case DType::u4:
    case DType::u2:
    case DType::boolean:
      return at<uint8_t>(data, index);
    case DType::u16:
      return at<uint16_t>(data, index);
    case DType::u32:
      return at<uint32_t>(data, index);
    case DType::u64:
      return int64_t(at<uint64_t>(data, index));
    default:
      internal_error("integer element of a {} tensor", name_of(type));
  }
}

}  // namespace cppgen
