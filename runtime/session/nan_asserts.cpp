#include "runtime/session/nan_asserts.h"

#include <cmath>
#include <cstring>

#include "runtime/base/elements.h"
#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

template <class Bits>
int64_t first_with_exponent(const void* data, int64_t count, Bits exponent) {
  const char* at = static_cast<const char*>(data);
  for (int64_t i = 0; i < count; i++, at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at, sizeof bits);
    if ((bits & exponent) == exponent) return i;
  }
  return -1;
}

// The position of the first element that is not finite, or -1.
int64_t first_not_finite(DType type, const void* data, int64_t count) {
  if (dtype_row(type).number != DTypeClass::floating) return -1;
  if (type == DType::f32) return first_with_exponent<uint32_t>(data, count, 0x7f800000);
  if (type == DType::bf16) return first_with_exponent<uint16_t>(data, count, 0x7f80);
  if (type == DType::f16) return first_with_exponent<uint16_t>(data, count, 0x7c00);
  for (int64_t i = 0; i < count; i++)
    if (!std::isfinite(number_element(type, data, i))) return i;
  return -1;
}

std::string buffer_text(const StepInRun& it, size_t argument) {
  const PlanBuffer& info = it.info(argument);
  const std::string name = info.name.empty() ? "" : fmt::format(" '{}'", info.name);
  return fmt::format("buffer {}{} ({})", it.step().buffers[argument], name, name_of(info.type));
}

}  // namespace

void NanAsserts::after(const StepInRun& it) {
  for (size_t i = it.first_output(); i < it.buffers.size(); i++) {
    if (it.last_writers[size_t(it.step().buffers[i])] != it.position) continue;
    const DType type = it.info(i).type;
    const int64_t at = first_not_finite(type, it.buffers[i], it.bytes(i) / int64_t(size_of(type)));
    if (at < 0) continue;
    throw NotFinite(fmt::format("NAN_ASSERTS: kernel '{}' (nodes '{}') wrote {} to element {} of {}", it.step().name,
                                fmt::join(it.step().origins, "', '"), number_element(type, it.buffers[i], at), at,
                                buffer_text(it, i)));
  }
}

}  // namespace cppgen::rt
