// USE_FAST_MATH: shorter polynomials for f32, with larger errors (tests/math/bounds.h). Results that are special (NaN,
// infinities, signed zeros) are the same as those of the accurate functions, and so are the bits on all ISAs. Minimax
// fits by weighted least squares for the relative error.
#pragma once

namespace vec {
inline namespace VEC_ISA {
namespace fast {

// e^x for x in [-104, 90].
VEC_FN F32 exp_in_range(F32 x) {
  const F32 magic = splat32(0x1.8p23f), one = splat32(1);  // adding magic rounds to an integer
  const F32 n = fma(x, splat32(0x1.715476p0f), magic) - magic;
  const F32 r = fma(n, splat32(-0x1.62e43p-1f), x);
  return scale(fma(fma(horner(r, 0.5000512f, 0.16753532f, 0.0412776694f), r, one), r, one), n);
}
VEC_FN F32 exp(F32 x) { return fast::exp_in_range(min_raw(splat32(89), max_raw(splat32(-104), x))); }

VEC_FN F32 sigmoid(F32 x) {
  const F32 e = fast::exp_in_range(max_raw(splat32(-104), -abs(x)));
  return div(select(lt(x, zero<f32>()), e, splat32(1)), e + splat32(1));
}

// Like the accurate function, with one step of reduction.
VEC_FN F32 tanh(F32 x) {
  const F32 a = min_raw(splat32(10), abs(x)), magic = splat32(0x1.8p23f);
  const F32 shifted = fma(a, splat32(0x1.715476p1f), magic), n = shifted - magic;
  const F32 r = fma(n, splat32(-0x1.62e43p-2f), a);
  const F32 p = fma(r * r, horner(r, 0.999988019f, 0.666673243f, 0.334980905f, 0.133409217f), r);  // (e^2r - 1) / 2
  const F32 t = bits_as<f32>(shift_left(bits_as<u32>(shifted), set1<u32>(23)) + set1<u32>(0x3f800000));  // 2^n
  const F32 m = fma(p, t, fma(t, splat32(0.5f), splat32(-0.5f)));
  return flip_sign(div(m, m + splat32(1)), x);
}

VEC_FN F32 log(F32 x) {
  const Split s = split(x);
  const F32 f = s.mantissa - splat32(1);
  const F32 q = horner(f, -0.499989152f, 0.333187371f, -0.250593036f, 0.206263423f, -0.167648643f, 0.0832444429f);
  return log_result(x, fma(s.exponent, splat32(0x1.62e43p-1f), f), f * f * q);
}

constexpr int kErfDegree = 4;
// Like the accurate functions, around the same points.
alignas(64) constexpr f32 kErfCoefficients[kErfDegree + 1][16] = {
    {0.f, 0.256658018f, 0.540318787f, 0.733568609f, 0.861928165f, 0.936629713f, 0.974176109f, 0.990673184f,
     0.997077465f, 0.999178469f, 0.999801755f, 0.999958217f, 0.999991894f, 0.999998689f, 0.999999821f, 1.f},
    {0.128378913f, 1.06947947f, 0.858513236f, 0.608521461f, 0.375739038f, 0.201361626f, 0.0941281989f, 0.0384338647f,
     0.0134751219f, 0.00418864703f, 0.00111001357f, 0.000255043124f, 5.34688588e-05f, 9.31674367e-06f, 1.39236579e-06f,
     0.f},
    {6.34312964e-05f, -0.247693911f, -0.448836863f, -0.478174448f, -0.394002259f, -0.264342844f, -0.148350641f,
     -0.0706599653f, -0.0283570271f, -0.00991105475f, -0.00292142224f, -0.00073892856f, -0.000168852013f,
     -3.18931125e-05f, -6.68010716e-06f, 0.f},
    {-0.378542304f, -0.31696561f, -0.129722714f, 0.0464227013f, 0.148776531f, 0.163396016f, 0.124350049f, 0.0740020052f,
     0.0355598778f, 0.0144157354f, 0.00484448625f, 0.00137642561f, 0.00034821179f, 7.24101628e-05f, 1.31986935e-05f,
     0.f},
    {0.0294838492f, 0.12762928f, 0.182321638f, 0.139415398f, 0.0518520586f, -0.0195145532f, -0.0482702479f,
     -0.043941699f, -0.0276564024f, -0.013510461f, -0.00534081226f, -0.00174773973f, -0.000481484894f, -0.00011170697f,
     0.f, 0.f},
};

VEC_FN F32 erf(F32 x) {
  const F32 a = min_raw(splat32(4), abs(x)), magic = splat32(0x1.8p23f);
  const V<u32> i = bits_as<u32>(fma(a, splat32(3.8f), magic));
  const F32 t = a - look_up(kErfPoints, i);
  F32 p = look_up(kErfCoefficients[kErfDegree], i);
#pragma GCC unroll 8
  for (int k = kErfDegree - 1; k > 0; k--) p = fma(p, t, look_up(kErfCoefficients[k], i));
  const F32 least = select(eq(i, bits_as<u32>(magic)), t, look_up(kErfCoefficients[0], i));
  return flip_sign(fma(p, t, least), x);
}

#define VEC_FAST_MATH(name)                \
  template <class Runtime>                 \
  VEC_FN F32 name(const Runtime*, F32 x) { \
    return fast::name(x);                  \
  }
VEC_FAST_MATH(exp)
VEC_FAST_MATH(sigmoid)
VEC_FAST_MATH(tanh)
VEC_FAST_MATH(log)
VEC_FAST_MATH(erf)
#undef VEC_FAST_MATH

}  // namespace fast
}  // namespace VEC_ISA
}  // namespace vec
