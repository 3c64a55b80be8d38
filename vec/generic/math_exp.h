// exp, expm1, sigmoid, tanh, sinh, cosh, erf. Error bounds: tests/math/bounds.h. Polynomials: minimax fits by Remez's
// exchange, coefficients rounded one after another from the lowest; sources other than that are named.
// Subnormal arguments and results are exact to the stated bounds; NaN gives NaN.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// x = n ln 2 + r with |r| <= 0.3466, for |x| < 200; NaN passes.
struct ExpReduced {
  F32 n, r;
};
VEC_FN ExpReduced exp_reduce(F32 x) {
  const F32 magic = splat32(0x1.8p23f);  // adding it rounds to an integer
  const F32 n = fma(x, splat32(0x1.715476p0f), magic) - magic;
  const F32 r = fma(n, splat32(-0x1.62e4p-1f), x);
  return {n, fma(n, splat32(-0x1.7f7d1cp-20f), r)};
}
// e^r - 1 for a reduced r.
VEC_FN F32 expm1_reduced(F32 r) {
  const F32 q = horner(r, 0.49999997f, 0.16666539f, 0.0416677445f, 0.00836705696f, 0.00138387084f);
  return fma(r * r, q, r);
}
// e^x * 2^shift for x in [-104, 90].
VEC_FN F32 exp_in_range(F32 x, F32 shift) {
  const ExpReduced a = exp_reduce(x);
  return scale(expm1_reduced(a.r) + splat32(1), a.n + shift);
}

VEC_FN F32 exp(F32 x) {
  const F32 c = min_raw(splat32(89), max_raw(splat32(-104), x));  // NaN passes through the second operand
  const ExpReduced a = exp_reduce(c);
  return scale(expm1_reduced(a.r) + splat32(1), a.n);
}

VEC_FN F32 expm1(F32 x) {
  const F32 c = min_raw(splat32(89), max_raw(splat32(-30), x));
  const ExpReduced a = exp_reduce(c);
  const F32 p = expm1_reduced(a.r);
  // 2^n (p + 1) - 1 with half the power, which does not overflow before the result does.
  const F32 t = scale(splat32(0.5f), a.n), u = fma(p, t, t - splat32(0.5f));
  return copysign(select(eq(a.n, zero<f32>()), p, u + u), x);
}

// 1 / (1 + e^-x), from e^-|x| so that nothing overflows and small results keep their precision.
VEC_FN F32 sigmoid(F32 x) {
  const F32 e = exp_in_range(max_raw(splat32(-104), -abs(x)), zero<f32>());
  return div(select(lt(x, zero<f32>()), e, splat32(1)), e + splat32(1));
}

VEC_FN F32 tanh(F32 x) {
  const F32 a = abs(x), s = a * a;
  const F32 p = horner(s, -0.333333164f, 0.133325443f, -0.0538475476f, 0.021050714f, -0.0062428494f);
  const F32 small = fma(a * s, p, a);
  const F32 e = exp_in_range(min_raw(splat32(20), a + a), zero<f32>());
  const F32 large = splat32(1) - div(splat32(2), e + splat32(1));
  return copysign(select(lt(a, splat32(0.55f)), small, large), x);
}

VEC_FN F32 sinh(F32 x) {
  const F32 a = abs(x), s = a * a;
  const F32 p = horner(s, 0.166666672f, 0.00833331048f, 0.000198428956f, 2.78221319e-06f);
  const F32 half_exp = exp_in_range(min_raw(splat32(90), a), splat32(-1));
  const F32 large = half_exp - div(splat32(0.25f), half_exp);
  return copysign(select(lt(a, splat32(1)), fma(a * s, p, a), large), x);
}

VEC_FN F32 cosh(F32 x) {
  const F32 half_exp = exp_in_range(min_raw(splat32(90), abs(x)), splat32(-1));
  return half_exp + div(splat32(0.25f), half_exp);
}

// Both polynomials: N. Juffa, "erff" (forums.developer.nvidia.com, 2014). Above 0.93: 1 - e^-P(|x|).
VEC_FN F32 erf(F32 x) {
  const F32 a = abs(x), s = x * x;
  F32 r = fma(splat32(-0x1.22p-16f), a, splat32(0x1.91cfb2p-12f));
  r = fma(r, s, fma(splat32(-0x1.fd1438p-9f), a, splat32(0x1.8d6342p-6f)));
  r = fma(r, a, splat32(-0x1.b55cb8p-4f));
  r = fma(r, a, splat32(-0x1.450aa0p-1f));
  r = fma(r, a, splat32(-0x1.079d0cp-3f));
  r = fma(r, a, -a);
  const F32 large = splat32(1) - exp_in_range(max_raw(splat32(-104), r), zero<f32>());
  const F32 p =
      horner(s, 0x1.06eba8p-3f, -0x1.8127p-2f, 0x1.ce1c44p-4f, -0x1.b691b2p-6f, 0x1.471a58p-8f, -0x1.38ep-11f);
  return copysign(select(gt(a, splat32(0.927734375f)), large, fma(p, a, a)), x);
}

}  // namespace VEC_ISA
}  // namespace vec
