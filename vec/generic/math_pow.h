// pow for f32, through double: correct to just over half an ULP. All special cases of C's pow.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// y * log2(mantissa * 2^exponent), relative error below 2^-45. Only the exponent may be infinite.
VEC_FN V<f64> scaled_log2(Split x, V<f64> y) {
  const V<f64> m = convert<f64>(x.mantissa), one = set1<f64>(1);
  const V<f64> s = div(m - one, m + one), t = s * s;
  const V<f64> p = horner(t, 0x1.555555555577ap-1, 0x1.99999998efa78p-2, 0x1.249249b2e7a9fp-2, 0x1.c71c00e6fb9c6p-3,
                          0x1.7474f6b6f9b52p-3, 0x1.38514873540bfp-3, 0x1.3aca3b0235049p-3);
  const V<f64> log_m = s * t * p + (s + s);
  return y * (log_m * set1<f64>(0x1.71547652b82fep0) + convert<f64>(x.exponent));
}

// 2^t; NaN passes.
VEC_FN V<f64> exp2_clamped(V<f64> t) {
  t = min_raw(set1<f64>(200), max_raw(set1<f64>(-200), t));
  const V<f64> n = round_even(t), r = t - n;
  const V<f64> p = horner(r, 0x1.000000000003ap+0, 0x1.62e42fefa373p-1, 0x1.ebfbdff81545bp-3, 0x1.c6b08d70d9bdp-5,
                          0x1.3b2ab72a527c6p-7, 0x1.5d87fd80f7236p-10, 0x1.43088f1d247e2p-13, 0x1.ffce560dad7adp-17,
                          0x1.63f23546df14p-20, 0x1.b41eec04782d5p-24);
  // The low bits of n + 1.5 * 2^52 are the integer n.
  const V<u64> bits = bits_as<u64>(n + set1<f64>(0x1.8p52)) + set1<u64>(1023);
  return p * bits_as<f64>(shift_left(bits, set1<u64>(52)));
}

VEC_FN F32 pow(F32 x, F32 y) {
  const F32 a = abs(x), z = zero<f32>(), one = splat32(1), infinity = splat32(__builtin_inff());
  Split s = split(a);
  s.exponent = select(eq(a, z), -infinity, select(lt(a, infinity), s.exponent, a));
  s.mantissa = select(m_and(gt(a, z), lt(a, infinity)), s.mantissa, one);
  F32 r = convert<f32>(exp2_clamped(scaled_log2(s, convert<f64>(y))));

  const F32 half_y = y * splat32(0.5f);
  const M whole = eq(trunc(y), y), odd = m_and(whole, ne(trunc(half_y), half_y));
  r = select(odd, flip_sign(r, x), r);
  const M no_real_value = m_and(m_and(lt(x, z), lt(a, infinity)), m_and(m_not(whole), eq(y, y)));
  r = select(no_real_value, splat32(__builtin_nanf("")), r);
  const M gives_one = m_or(m_or(eq(y, z), eq(x, one)), m_and(eq(a, one), is_inf(y)));
  return select(gives_one, one, r);
}

}  // namespace VEC_ISA
}  // namespace vec
