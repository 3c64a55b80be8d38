// USE_FAST_MATH: shorter polynomials for f32, with larger errors (tests/math/bounds.h). Results that are special (NaN,
// infinities, signed zeros) are the same as those of the accurate functions, and so are the bits on all ISAs. Minimax
// fits by weighted least squares for the relative error.
#pragma once

namespace vec {
inline namespace VEC_ISA {
namespace fast {

// e^x for x in [-104, 90].
VEC_FN F32 exp_in_range(F32 x) {
  const F32 magic = splat32(kRoundedExponent), one = splat32(1);
  const F32 sum = fma(x, splat32(0x1.715476p0f), magic), r = fma(sum - magic, splat32(-0x1.62e43p-1f), x);
  return scale_by(fma(fma(horner(r, 0.5000512f, 0.16753532f, 0.0412776694f), r, one), r, one), sum);
}
VEC_FN F32 exp(F32 x) { return fast::exp_in_range(min_raw(splat32(89), max_raw(splat32(-104), x))); }

VEC_FN F32 exp_flushed(F32 x) {
  const F32 magic = splat32(kRoundedExponent), one = splat32(1), c = min_raw(zero<f32>(), x);
  const F32 sum = fma(c, splat32(0x1.715476p0f), magic), r = fma(sum - magic, splat32(-0x1.62e43p-1f), c);
  const F32 power = fma(fma(horner(r, 0.5000512f, 0.16753532f, 0.0412776694f), r, one), r, one);
  return scale_or_flush(power, sum, c, splat32(kLeastExponentOfNormal));
}

// They are like the accurate functions, with shorter polynomials and one step of reduction.
VEC_FN F32 sigmoid(F32 x) {
  constexpr f32 magic = 0x1.8p23f + 127 + 24, scale = 0x1p24f;
  const F32 c = min_raw(splat32(30), max_raw(splat32(-104), x));
  const F32 shifted = fma(c, splat32(0x1.715476p0f), splat32(magic)), n = shifted - splat32(magic);
  const F32 r = fma(n, splat32(-0x1.62e43p-1f), c), power = power_of_shifted(shifted);
  const F32 q = horner(r, -scale, scale * 0.5000512f, scale * -0.16753532f, scale * 0.0412776694f);
  return div(power, fma(q, r, power + splat32(scale)));
}
VEC_FN F32 tanh(F32 x) {
  constexpr f32 magic = 0x1.8p23f + 127;
  const F32 c = max_raw(splat32(-10), min_raw(splat32(10), x));
  const F32 shifted = fma(-c, splat32(0x1.715476p1f), splat32(magic)), minus_n = splat32(magic) - shifted;
  const F32 r = fma(-minus_n, splat32(0x1.62e43p-2f), c), s = r * r;
  const F32 low = fma(r, splat32(-2 * 0.666673243f), splat32(2 * 0.999988019f));
  const F32 high = horner(r, 2 * 0.334980905f, -2 * 0.133409217f);
  const F32 p = fma(-s, fma(high, s, low), r + r);  // 1 - e^-2r
  const F32 power = power_of_shifted(shifted), numerator = fma(p, power, -(power - splat32(1)));
  return div(numerator, splat32(2) - numerator);
}

VEC_FN F32 log(F32 x) {
  const Split s = split(x);
  const F32 f = s.mantissa - splat32(1);
  const F32 q = horner(f, -0.499989152f, 0.333187371f, -0.250593036f, 0.206263423f, -0.167648643f, 0.0832444429f);
  return log_result(x, fma(s.exponent, splat32(0x1.62e43p-1f), f), f * f * q);
}

constexpr int kErfDegree = 5;
// It is like the accurate function, around the same points.
alignas(32) constexpr f32 kErfCoefficients[kErfDegree + 1][8] = {
    {0.f, 0.54376477f, 0.863807499f, 0.974594533f, 0.997119784f, 0.999804914f, 0.999992192f, 0.999999821f},
    {0.128378883f, 0.854902625f, 0.371782184f, 0.0928064883f, 0.0132979788f, 0.00109376351f, 5.16455329e-05f,
     1.40023087e-06f},
    {0.f, -0.450287342f, -0.391757667f, -0.146717668f, -0.0280203633f, -0.00287604262f, -0.000162375945f,
     -5.35528534e-06f},
    {-0.376052648f, -0.127153784f, 0.151209682f, 0.123652063f, 0.0349468216f, 0.00469207903f, 0.00032570961f,
     1.21169942e-05f},
    {0.f, 0.17877762f, 0.0518348478f, -0.0471918508f, -0.0276187491f, -0.00544423424f, -0.000501069298f,
     -2.07502999e-05f},
    {0.110034913f, 0.0041486565f, -0.0654343888f, -0.00702986633f, 0.0124177756f, 0.00417830981f, 0.000515656255f,
     2.99439162e-05f},
};
VEC_FN F32 erf(F32 x) { return erf_by_table<kErfDegree>(kErfCoefficients, x); }

#define VEC_FAST_MATH(name)                \
  template <class Runtime>                 \
  VEC_FN F32 name(const Runtime*, F32 x) { \
    return fast::name(x);                  \
  }
VEC_FAST_MATH(exp)
VEC_FAST_MATH(exp_flushed)
VEC_FAST_MATH(sigmoid)
VEC_FAST_MATH(tanh)
VEC_FAST_MATH(log)
VEC_FAST_MATH(erf)
#undef VEC_FAST_MATH

}  // namespace fast
}  // namespace VEC_ISA
}  // namespace vec
