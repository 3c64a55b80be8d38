#include "runtime/base/float8.h"

#include "runtime/base/errors.h"

namespace cppgen {

template <class F>
static auto with_format(DType type, F f) {
  switch (type) {
#define CPPGEN_DTYPE(...)
#define CPPGEN_FLOAT8(id, ...) \
  case DType::id:              \
    return f.template operator()<float8_format(DType::id)>();
#include "runtime/base/dtypes.def"
    default:
      internal_error("{} has no 8-bit format", name_of(type));
  }
}

float f8_to_f32(DType type, uint8_t code) {
  return with_format(type, [&]<Float8Format F>() { return f8_to_f32<F>(code); });
}
uint8_t f32_to_f8(DType type, float x) {
  return with_format(type, [&]<Float8Format F>() { return f32_to_f8<F>(x); });
}
float greatest_f8(DType type) { return f8_to_f32(type, static_cast<uint8_t>(float8_format(type).greatest())); }

}  // namespace cppgen
