// sin, cos, tan for every float. Error bounds: tests/math/bounds.h. Infinities and NaN give NaN.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// x = quadrant * pi/2 + r with |r| <= pi/4 (a little more by rounding). Only the low two bits of the quadrant count.
struct TrigReduced {
  V<i32> quadrant;
  F32 r;
};

// Payne and Hanek's method for one finite x >= 2^16: multiplies the mantissa by the 128 bits of 2/pi that matter for
// the quadrant and the fraction after it. The error is below 2^-60, and no float is closer than 2^-32 to a multiple of
// pi/2.
VEC_FN f32 reduce_huge(f32 x, i32* quadrant) {
  static const u64 two_over_pi[] = {0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561};
  const u32 bits = bit_cast<u32>(x);
  const u64 mantissa = (bits & 0x7fffff) | 0x800000;
  // x = mantissa * 2^s; bits of 2/pi above 2^(2-s) contribute whole turns.
  const int s = int(bits >> 23) - 150, at = 64 + s - 2, word = at >> 6, shift = at & 63;
  u64 hi = two_over_pi[word] << shift, lo = two_over_pi[word + 1] << shift;
  if (shift) {
    hi |= two_over_pi[word + 1] >> (64 - shift);
    lo |= two_over_pi[word + 2] >> (64 - shift);
  }
  const unsigned __int128 turns = ((unsigned __int128)(mantissa * hi) << 64) + (unsigned __int128)mantissa * lo;
  const u64 top = u64(turns >> 64);
  *quadrant = i32((top + (u64(1) << 61)) >> 62);
  const i64 fraction = i64(u64(turns >> 62));  // of a quadrant, in units of 2^-64, signed
  return f32(f64(fraction) * 0x1.921fb54442d18p-64);
}

static __attribute__((noinline, unused)) TrigReduced reduce_lanes(F32 x, TrigReduced fast) {
  f32 in[L], r[L];
  i32 quadrant[L];
  memcpy(in, &x, sizeof in);
  memcpy(r, &fast.r, sizeof r);
  memcpy(quadrant, &fast.quadrant, sizeof quadrant);
#pragma GCC unroll 1
  for (int i = 0; i < L; i++) {
    if (in[i] < 0x1p16f) continue;
    if (in[i] < __builtin_inff())
      r[i] = reduce_huge(in[i], &quadrant[i]);
    else
      r[i] = in[i] - in[i];
  }
  memcpy(&fast.r, r, sizeof r);
  memcpy(&fast.quadrant, quadrant, sizeof quadrant);
  return fast;
}

// Takes x >= 0 or NaN. Below 2^16, Cody and Waite's subtraction of pi/2 in three parts.
VEC_FN TrigReduced trig_reduce(F32 x) {
  const F32 magic = splat32(0x1.8p23f), shifted = fma(x, splat32(0x1.45f306p-1f), magic), n = shifted - magic;
  F32 r = fma(n, splat32(-0x1.921fbp0f), x);
  r = fma(n, splat32(-0x1.5110b4p-22f), r);
  r = fma(n, splat32(-0x1.846988p-48f), r);
  const TrigReduced fast = {bits_as<i32>(shifted), r};
  if (__builtin_expect(any(ge(x, splat32(0x1p16f))), 0)) return reduce_lanes(x, fast);
  return fast;
}

// sin(quadrant * pi/2 + r)
VEC_FN F32 sin_reduced(V<i32> quadrant, F32 r) {
  const V<i32> one = set1<i32>(1);
  const F32 s = r * r;
  const F32 sine = fma(r * s, horner(s, -0.166666672f, 0.0083333794f, -0.000198530644f, 2.83251006e-06f), r);
  const F32 cosine =
      fma(s * s, horner(s, 0.0416666456f, -0.00138873095f, 2.44323273e-05f), fma(s, splat32(-0.5f), splat32(1)));
  const F32 value = select(eq(bit_and(quadrant, one), one), cosine, sine);
  const V<u32> sign = shift_left(bits_as<u32>(bit_and(quadrant, set1<i32>(2))), set1<u32>(30));
  return bits_as<f32>(bit_xor(bits_as<u32>(value), sign));
}

VEC_FN F32 sin(F32 x) {
  const TrigReduced t = trig_reduce(abs(x));
  return flip_sign(sin_reduced(t.quadrant, t.r), x);
}

VEC_FN F32 cos(F32 x) {
  const TrigReduced t = trig_reduce(abs(x));
  return sin_reduced(t.quadrant + set1<i32>(1), t.r);
}

VEC_FN F32 tan(F32 x) {
  const TrigReduced t = trig_reduce(abs(x));
  const F32 s = t.r * t.r;
  const F32 p = horner(s, 0.333333492f, 0.133326724f, 0.0540594421f, 0.0212828163f, 0.0108374897f, 8.43086527e-05f,
                       0.00438002823f);
  const F32 tangent = fma(t.r * s, p, t.r);
  const V<i32> one = set1<i32>(1);
  return flip_sign(select(eq(bit_and(t.quadrant, one), one), div(splat32(-1), tangent), tangent), x);
}

// asin(z) for 0 <= z <= 0.5, s = z^2.
VEC_FN F32 asin_small(F32 z, F32 s) {
  return fma(z * s, horner(s, 0.166666597f, 0.0750052184f, 0.0445137173f, 0.0318310149f, 0.0143713476f, 0.0375771523f),
             z);
}

// Above 0.5: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
VEC_FN F32 asin(F32 x) {
  const F32 a = abs(x), reflected = fma(a, splat32(-0.5f), splat32(0.5f));
  const M small = le(a, splat32(0.5f));
  const F32 s = select(small, a * a, reflected);
  const F32 r = asin_small(select(small, a, sqrt(reflected)), s);
  const F32 large = splat32(0x1.921fb6p0f) - (r + r + splat32(0x1.777a5cp-25f));
  return flip_sign(select(small, r, large), x);
}

VEC_FN F32 acos(F32 x) {
  const F32 a = abs(x), reflected = fma(a, splat32(-0.5f), splat32(0.5f)), z = zero<f32>();
  const M small = le(a, splat32(0.5f)), negative = lt(x, z);
  const F32 s = select(small, a * a, reflected);
  const F32 r = asin_small(select(small, a, sqrt(reflected)), s);
  const F32 half_pi = splat32(0x1.921fb6p0f), half_pi_lo = splat32(-0x1.777a5cp-25f);
  const F32 middle = half_pi - (select(negative, -r, r) - half_pi_lo);
  const F32 large = select(negative, (half_pi + half_pi) - (r + r - (half_pi_lo + half_pi_lo)), r + r);
  return select(small, middle, large);
}

// Above 1: atan(x) = pi/2 - atan(1/x).
VEC_FN F32 atan(F32 x) {
  const F32 a = abs(x);
  const M large = gt(a, splat32(1));
  const F32 z = select(large, div(splat32(1), a), a), s = z * z;
  const F32 p = horner(s, -0.333332986f, 0.199985296f, -0.142640159f, 0.10950882f, -0.0839932188f, 0.0578821674f,
                       -0.0310986843f, 0.0108703151f, -0.00178338902f);
  const F32 r = fma(z * s, p, z);
  return flip_sign(select(large, splat32(0x1.921fb6p0f) - (r + splat32(0x1.777a5cp-25f)), r), x);
}

}  // namespace VEC_ISA
}  // namespace vec
