// log, log2, log1p, asinh, acosh, atanh. Error bounds: tests/math/bounds.h. Zero, negative, infinite and NaN arguments
// as in C; subnormal arguments are exact to the stated bounds.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// (log(1 + f) - f) / f^2 for f in [-0.25, 0.5].
VEC_FN F32 log_polynomial(F32 f) {
  return horner(f, -0.49999997f, 0.333333313f, -0.250004411f, 0.200007319f, -0.166493431f, 0.142405033f, -0.127265036f,
                0.119978569f, -0.0974267721f, 0.0416615158f);
}

// A logarithm as an unevaluated sum, large + small.
struct LogSum {
  F32 large, small;
};

// e ln 2 + log(1 + f). The leading sum e*ln2_hi + f is kept with its rounding error: e*ln2_hi is exact.
VEC_FN LogSum log_sum(F32 e, F32 f) {
  const F32 ln2_hi = splat32(0x1.62e4p-1f), ln2_lo = splat32(0x1.7f7d1cp-20f);
  const F32 sum = opaque(fma(e, ln2_hi, f));
  const F32 error = f + fma(e, ln2_hi, -sum);
  return {sum, fma(f * f, log_polynomial(f), fma(e, ln2_lo, error))};
}

VEC_FN F32 log(F32 x) {
  const Split s = split(x);
  const LogSum r = log_sum(s.exponent, s.mantissa - splat32(1));
  return log_result(x, r.large, r.small);
}

VEC_FN F32 log2(F32 x) {
  const Split s = split(x);
  const F32 f = s.mantissa - splat32(1), log2e = splat32(0x1.715476p0f), log2e_lo = splat32(0x1.4ae0cp-26f);
  const F32 q = f * f * log_polynomial(f), main = opaque(f * log2e);
  const F32 rest = fma(f, log2e_lo, fma(f, log2e, -main));
  return log_result(x, opaque(opaque(s.exponent) + main), fma(q, log2e, rest));
}

// The rounding error of 1 + x is added to f, scaled like the mantissa.
VEC_FN F32 log1p_nonzero(F32 x) {
  const F32 one = splat32(1), u = opaque(one + x), from_one = opaque(u - one);
  const F32 error = opaque(one - (u - from_one)) + opaque(x - from_one);
  const Split s = split(u);
  const M regular = m_and(gt(u, zero<f32>()), lt(u, splat32(__builtin_inff())));
  const F32 c = select(regular, scale(error, -s.exponent), zero<f32>());
  const LogSum r = log_sum(s.exponent, opaque(s.mantissa - one) + c);
  return log_result(u, r.large, r.small);
}
VEC_FN F32 log1p(F32 x) { return select(eq(x, zero<f32>()), x, log1p_nonzero(x)); }

// log(x + sqrt(x^2 + 1)) = log1p(x + x^2 / (1 + sqrt(1 + x^2))); for large x log(2x).
VEC_FN F32 asinh(F32 x) {
  const F32 a = abs(x), one = splat32(1);
  const M big = gt(a, splat32(0x1p20f));
  const F32 t = div(a * a, one + sqrt(fma(a, a, one)));
  const F32 r = log1p_nonzero(select(big, a, a + t));
  return copysign(select(big, r + splat32(0x1.62e43p-1f), r), x);
}

VEC_FN F32 acosh(F32 x) {
  const F32 t = x - splat32(1);
  const M big = gt(x, splat32(0x1p20f));
  const F32 r = log1p(select(big, x, t + sqrt(fma(t, t, t + t))));
  const F32 result = select(big, r + splat32(0x1.62e43p-1f), r);
  return select(lt(x, splat32(1)), splat32(__builtin_nanf("")), result);
}

VEC_FN F32 atanh(F32 x) {
  const F32 a = abs(x);
  const F32 r = log1p_nonzero(div(a + a, splat32(1) - a)) * splat32(0.5f);
  return copysign(select(gt(a, splat32(1)), splat32(__builtin_nanf("")), r), x);
}

}  // namespace VEC_ISA
}  // namespace vec
