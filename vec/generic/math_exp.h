// exp, exp_flushed, expm1, sigmoid, tanh, sinh, cosh. Error bounds: tests/math/bounds.h. Polynomials: minimax fits by
// Remez's exchange, coefficients rounded one after another from the lowest; sources other than that are named.
// Subnormal arguments and results are exact to the stated bounds, but for exp_flushed; NaN gives NaN.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// x = n ln 2 + r with |r| <= 0.3466, for |x| < 200; NaN passes.
struct ExpReduced {
  F32 n, r, sum;  // n + kRoundedExponent
};
VEC_FN ExpReduced exp_reduce(F32 x) {
  const F32 magic = splat32(kRoundedExponent), sum = fma(x, splat32(0x1.715476p0f), magic), n = sum - magic;
  const F32 r = fma(n, splat32(-0x1.62e4p-1f), x);
  return {n, fma(n, splat32(-0x1.7f7d1cp-20f), r), sum};
}
// (e^r - 1 - r) / r^2 for a reduced r.
VEC_FN F32 exp_polynomial(F32 r) {
  return horner(r, 0.49999997f, 0.16666539f, 0.0416677445f, 0.00836705696f, 0.00138387084f);
}
constexpr f32 kLeastExponentOfNormal = -87.33654f;  // e^x is a normal number from here on

// e^r - 1 with small relative error.
VEC_FN F32 expm1_reduced(F32 r) { return fma(r * r, exp_polynomial(r), r); }
VEC_FN F32 exp_reduced(F32 r) {
  const F32 one = splat32(1);
  return fma(fma(exp_polynomial(r), r, one), r, one);
}
// 2^(n + K) where that is a normal number.
template <int K>
VEC_FN F32 power_of_n(ExpReduced a) {
  return bits_as<f32>(shift_left(bits_as<u32>(a.sum), set1<u32>(23)) + set1<u32>(u32(127 + K - 254) << 23));
}

// e^x for x in [-104, 90].
VEC_FN F32 exp_in_range(F32 x) {
  const ExpReduced a = exp_reduce(x);
  return scale_by(exp_reduced(a.r), a.sum);
}

// Clamping keeps NaN, which minps and maxps pass through their second operand.
VEC_FN F32 exp(F32 x) { return exp_in_range(min_raw(splat32(89), max_raw(splat32(-104), x))); }

// e^min(x, 0), or 0 where that is not a normal number: weights of a softmax. Many CPUs take a hundred cycles for a
// product with a subnormal number.
VEC_FN F32 exp_flushed(F32 x) {
  const F32 c = min_raw(zero<f32>(), x);
  const ExpReduced a = exp_reduce(c);
  return scale_or_flush(exp_reduced(a.r), a.sum, c, splat32(kLeastExponentOfNormal));
}

VEC_FN F32 expm1(F32 x) {
  const F32 c = min_raw(splat32(89), max_raw(splat32(-30), x));
  const ExpReduced a = exp_reduce(c);
  const F32 p = expm1_reduced(a.r);
  // 2^n (p + 1) - 1 with half the power, which does not overflow before the result does.
  const F32 t = power_of_n<-1>(a), u = fma(p, t, t - splat32(0.5f));
  return copysign(select(eq(a.n, zero<f32>()), p, u + u), x);
}

// 2^n for n = shifted - magic - 127: adding the exponent's bias to the constant that rounds makes its bits a shift.
VEC_FN F32 power_of_shifted(F32 shifted) { return bits_as<f32>(shift_left(bits_as<u32>(shifted), set1<u32>(23))); }

// 2^n / (2^n + e^-r) for x = n ln 2 + r, times 2^24 above and below: no power is subnormal, so small results are
// rounded once, by the division.
VEC_FN F32 sigmoid(F32 x) {
  constexpr f32 magic = 0x1.8p23f + 127 + 24, scale = 0x1p24f;
  const F32 c = min_raw(splat32(30), max_raw(splat32(-104), x));
  const F32 shifted = fma(c, splat32(0x1.715476p0f), splat32(magic)), n = shifted - splat32(magic);
  const F32 high = fma(n, splat32(-0x1.62e4p-1f), c), r = fma(n, splat32(-0x1.7f7d1cp-20f), high);
  const F32 power = power_of_shifted(shifted);
  const F32 q = horner(r, -scale, scale * 0.49999997f, scale * -0.16666539f, scale * 0.0416677445f,
                       scale * -0.00836705696f, scale * 0.00138387084f);  // (e^-r - 1) / r
  return div(power, fma(q, r, power + splat32(scale)));
}

// (1 - m) / ((1 - m) - 2) with m = e^2|x| = 2^n e^-2r: where m is large, its error has little influence. The polynomial
// is in two halves, which halves its latency. Zeros keep their sign.
VEC_FN F32 tanh(F32 x) {
  constexpr f32 magic = 0x1.8p23f + 127;
  const F32 c = max_raw(splat32(-10), -abs(x));
  const F32 shifted = fma(-c, splat32(0x1.715476p1f), splat32(magic)), minus_n = splat32(magic) - shifted;
  const F32 r = fma(-minus_n, splat32(0x1.62e43p-2f), c), s = r * r;
  const F32 low = fma(r, splat32(-2 * 0.66666156f), splat32(2 * 0.99999994f));
  const F32 high = fma(s, splat32(2 * 0.04428386688f), horner(r, 2 * 0.333341956f, -2 * 0.1338729114f));
  const F32 p = fma(-s, fma(high, s, low), r + r);  // 1 - e^-2r
  const F32 power = power_of_shifted(shifted), numerator = fma(p, power, -(power - splat32(1)));
  return flip_sign(div(numerator, numerator - splat32(2)), x);
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
