// exp, expm1, sigmoid, tanh, sinh, cosh. Error bounds: tests/math/bounds.h. Polynomials: minimax fits by Remez's
// exchange, coefficients rounded one after another from the lowest; sources other than that are named.
// Subnormal arguments and results are exact to the stated bounds; NaN gives NaN.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// x = n ln 2 + r with |r| <= 0.3466, for |x| < 200; NaN passes.
struct ExpReduced {
  F32 n, r;
  V<u32> shifted_n;  // n in the low bits
};
VEC_FN ExpReduced exp_reduce(F32 x) {
  const F32 magic = splat32(0x1.8p23f);  // adding it rounds to an integer
  const F32 shifted = fma(x, splat32(0x1.715476p0f), magic), n = shifted - magic;
  const F32 r = fma(n, splat32(-0x1.62e4p-1f), x);
  return {n, fma(n, splat32(-0x1.7f7d1cp-20f), r), bits_as<u32>(shifted)};
}
// (e^r - 1 - r) / r^2 for a reduced r.
VEC_FN F32 exp_polynomial(F32 r) {
  return horner(r, 0.49999997f, 0.16666539f, 0.0416677445f, 0.00836705696f, 0.00138387084f);
}
// e^r - 1 with small relative error.
VEC_FN F32 expm1_reduced(F32 r) { return fma(r * r, exp_polynomial(r), r); }
VEC_FN F32 exp_reduced(F32 r) {
  const F32 one = splat32(1);
  return fma(fma(exp_polynomial(r), r, one), r, one);
}
// 2^(n + K) where that is a normal number.
template <int K>
VEC_FN F32 power_of_n(ExpReduced a) {
  return bits_as<f32>(shift_left(a.shifted_n, set1<u32>(23)) + set1<u32>((127 + K) << 23));
}

// e^x for x in [-104, 90].
VEC_FN F32 exp_in_range(F32 x) {
  const ExpReduced a = exp_reduce(x);
  return scale(exp_reduced(a.r), a.n);
}

// Clamping keeps NaN, which minps and maxps pass through their second operand.
VEC_FN F32 exp(F32 x) { return exp_in_range(min_raw(splat32(89), max_raw(splat32(-104), x))); }

VEC_FN F32 expm1(F32 x) {
  const F32 c = min_raw(splat32(89), max_raw(splat32(-30), x));
  const ExpReduced a = exp_reduce(c);
  const F32 p = expm1_reduced(a.r);
  // 2^n (p + 1) - 1 with half the power, which does not overflow before the result does.
  const F32 t = power_of_n<-1>(a), u = fma(p, t, t - splat32(0.5f));
  return copysign(select(eq(a.n, zero<f32>()), p, u + u), x);
}

// 1 / (1 + e^-x), from e^-|x| so that nothing overflows and small results keep their precision.
VEC_FN F32 sigmoid(F32 x) {
  const F32 e = exp_in_range(max_raw(splat32(-104), -abs(x)));
  return div(select(lt(x, zero<f32>()), e, splat32(1)), e + splat32(1));
}

// m / (m + 1) with m = (e^2a - 1) / 2, a = |x|. The reduction is that of exp for 2a, with everything halved.
VEC_FN F32 tanh(F32 x) {
  const F32 a = min_raw(splat32(10), abs(x)), magic = splat32(0x1.8p23f);
  const F32 shifted = fma(a, splat32(0x1.715476p1f), magic), n = shifted - magic;
  F32 r = fma(n, splat32(-0x1.62e4p-2f), a);
  r = fma(n, splat32(-0x1.7f7d1cp-21f), r);
  const F32 q = horner(r, 0.99999994f, 0.66666156f, 0.333341956f, 0.1338729114f, 0.04428386688f);
  const F32 p = fma(r * r, q, r);  // (e^2r - 1) / 2
  const F32 t = bits_as<f32>(shift_left(bits_as<u32>(shifted), set1<u32>(23)) + set1<u32>(0x3f800000));  // 2^n
  const F32 m = fma(p, t, fma(t, splat32(0.5f), splat32(-0.5f)));
  return flip_sign(div(m, m + splat32(1)), x);
}

// e^|x| / 2, infinite where sinh and cosh are.
VEC_FN F32 half_exp(F32 x) {
  const ExpReduced a = exp_reduce(min_raw(splat32(90), abs(x)));
  return scale(exp_reduced(a.r), a.n - splat32(1));
}

VEC_FN F32 sinh(F32 x) {
  const F32 a = abs(x), s = a * a, e = half_exp(x);
  const F32 p = horner(s, 0.166666672f, 0.00833331048f, 0.000198428956f, 2.78221319e-06f);
  return flip_sign(select(lt(a, splat32(1)), fma(a * s, p, a), e - div(splat32(0.25f), e)), x);
}

VEC_FN F32 cosh(F32 x) {
  const F32 e = half_exp(x);
  return e + div(splat32(0.25f), e);
}

}  // namespace VEC_ISA
}  // namespace vec
