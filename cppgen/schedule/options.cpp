#include "cppgen/schedule/options.h"

#include "runtime/base/errors.h"

namespace cppgen::schedule {

FloatMath float_math_from_name(std::string_view name) {
  using enum FloatMath;
  for (FloatMath m : {strict, f32, relaxed, bf16x3, bf16})
    if (name_of(m) == name) return m;
  internal_error("FPMATH_MODE={} is not a mode", name);
}

}  // namespace cppgen::schedule
