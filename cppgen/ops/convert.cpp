#include "cppgen/ops/convert.h"

#include <cmath>

#include "runtime/base/float8.h"

namespace cppgen::ops {
namespace {

Scalar to_small_int(Scalar x, DType storage, bool wrap) {
  const auto least = double(range_of(storage).least), greatest = double(range_of(storage).greatest);
  if (is_float(x.type())) {
    if (!wrap) return min(max(round(x), least), greatest).cast(ir::value_type(storage));
    x = round(x).cast(DType::i64);
  }
  const Scalar byte = x.cast(ir::value_type(storage));
  const Scalar low = (byte - least).binary(ir::BinaryOp::bit_and, byte.number(greatest - least));
  return low + least;
}

// Magnitudes up to 2 have steps of 0.5, up to 4 of 1, up to 6 of 2: ties go to even codes in each.
Scalar to_float4(Scalar x) {
  const DType byte = DType::u8;
  x = x.cast(DType::f32);
  const Scalar a = min(abs(x), 6.0);
  const Scalar code = select(a <= 2.0, round(a * 2.0), select(a <= 4.0, round(a) + 2.0, round(a * 0.5) + 4.0));
  const Scalar sign = select(x.number(1).binary(ir::BinaryOp::copysign, x) < 0.0, x.number(8), x.number(0));
  return select(x != x, x.number(8), code + sign).cast(byte);
}

Scalar from_float4(Scalar code) {
  const Scalar m = code.binary(ir::BinaryOp::bit_and, code.number(7)).cast(DType::f32);
  const Scalar value = max(m * 0.5, max(m - 2.0, m * 2.0 - 8.0));
  return select(code >= 8.0, -value, value);
}

// The exponent of x * 2^127 is found bit by bit, in float64, where all of that is exact.
Scalar to_power_code(Scalar x, const Conversion& how) {
  x = x.cast(DType::f64);
  Scalar rest = max(x, 0.0) * 0x1p127, code = rest.number(0).cast(DType::i32);
  const Scalar too_small = rest < 1.0;
  for (int bit = 7; bit >= 0; --bit) {
    const Scalar has = rest >= std::ldexp(1.0, 1 << bit);
    rest = select(has, rest * std::ldexp(1.0, -(1 << bit)), rest);
    code = code + select(has, code.number(1 << bit), code.number(0));
  }
  if (how.powers != PowerRounding::down) {
    const Scalar up = how.powers == PowerRounding::up ? rest > 1.0 : rest >= 1.5;
    code = code + select(up, code.number(1), code.number(0));
  }
  if (how.saturate)
    code = min(code, 254.0);
  else
    code = select(too_small, code.number(255), min(code, 255.0));
  return select(x != x, code.number(255), code).cast(DType::u8);
}

Scalar from_power_code(Scalar code) {
  Scalar power{code.arena, code.arena->constant(DType::f64, 0x1p-127)};
  for (int bit = 0; bit < 8; ++bit) {
    const Scalar has = code.binary(ir::BinaryOp::bit_and, code.number(1 << bit)) != 0.0;
    power = select(has, power * std::ldexp(1.0, 1 << bit), power);
  }
  return select(code == 255.0, power.number(NAN), power).cast(DType::f32);
}

Scalar to_float8(Scalar x, DType storage, bool saturate) {
  x = x.cast(DType::f32);
  const double greatest = greatest_f8(storage);
  if (saturate) x = max(min(x, greatest), -greatest);
  return x.unary(*ir::rounding_to(storage));
}

// Bytes are numbers of every type of floats.
bool is_byte(DType t) { return size_of(t) == 1; }

}  // namespace

Scalar number_of(Scalar value, DType storage) {
  if (storage == DType::f4e2m1) return from_float4(value);
  return storage == DType::f8e8m0 ? from_power_code(value) : value;
}

Scalar converted(Scalar x, DType storage, const Conversion& how) {
  if (is_small_int(storage)) return to_small_int(x, storage, how.wrap);
  if (is_float8(storage)) return to_float8(x, storage, how.saturate);
  if (storage == DType::f4e2m1) return to_float4(x);
  if (storage == DType::f8e8m0) return to_power_code(x, how);
  const auto rounding = ir::rounding_to(storage);
  const Scalar value = x.cast(ir::value_type(storage));
  return rounding && !is_byte(x.type()) ? value.unary(*rounding) : value;
}

}  // namespace cppgen::ops
