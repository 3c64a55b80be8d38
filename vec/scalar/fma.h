// Fused multiply-add without the instruction: exactly rounded, so that the scalar ISA gives the bits of the others.
#pragma once

namespace vec {
inline namespace VEC_ISA {

constexpr bool has_fma = false;

// The product of two floats is exact in double. Their sum with c is rounded to odd (by two-sum's exact error), after
// which rounding to float is right: double has more than twice its precision plus two bits (Boldo and Melquiond 2008).
VEC_FN V<f32> fma(V<f32> a, V<f32> b, V<f32> c) {
  const f64 p = f64(a.v) * f64(b.v), x = c.v, s = p + x;
  const f64 virtual_x = s - p;
  const f64 error = (p - (s - virtual_x)) + (x - virtual_x);
  u64 bits = bit_cast<u64>(s);
  if ((error > 0 || error < 0) && !(bits & 1)) bits += (error > 0) == (s > 0) ? 1 : u64(-1);
  return {f32(bit_cast<f64>(bits))};
}

typedef unsigned __int128 U128;

struct Unpacked {
  bool negative;
  i64 mantissa, exponent;  // value = mantissa * 2^exponent
};
VEC_FN Unpacked unpack(f64 x) {
  const u64 bits = bit_cast<u64>(x);
  const i64 biased = i64(bits >> 52 & 0x7ff), fraction = i64(bits & 0xfffffffffffff);
  return {bool(bits >> 63), biased ? fraction | i64(1) << 52 : fraction, (biased ? biased : 1) - 1075};
}

// x >> n, with the lowest bit set if any bit was lost.
VEC_FN U128 shift_sticky(U128 x, i64 n) {
  if (n <= 0) return x;
  if (n > 127) return x != 0;
  return (x >> n) | ((x & ((U128(1) << n) - 1)) != 0);
}

// m * 2^e rounded to nearest even; m > 0.
VEC_FN f64 pack(bool negative, U128 m, i64 e) {
  const i64 high = i64(m >> 64), top = high ? 127 - __builtin_clzl(u64(high)) : 63 - __builtin_clzl(u64(m));
  i64 drop = top - 52;
  if (e + drop < -1074) drop = -1074 - e;  // the result is subnormal
  u64 r;
  if (drop <= 0) {
    r = u64(m << -drop);
  } else {
    const U128 kept = drop == 1 ? m << 1 : shift_sticky(m, drop - 2);  // two more bits: half, and below half
    r = u64(kept >> 2) + ((kept & 3) == 3 || (kept & 7) == 6);
  }
  e += drop;
  // r < 2^53 or r = 2^53 after a carry; adding instead of or-ing the exponent lets the carry pass on.
  const u64 sign = u64(negative) << 63;
  if (e > 971 || (e == 971 && r >> 53)) return bit_cast<f64>(sign | 0x7ff0000000000000);
  if (r < u64(1) << 52) return bit_cast<f64>(sign | r);
  return bit_cast<f64>(sign | ((u64(e + 1074) << 52) + r));
}

static __attribute__((noinline, unused)) f64 fma_f64(f64 a, f64 b, f64 c) {
  const f64 infinity = __builtin_inf(), product = a * b;
  const bool finite_product = __builtin_fabs(a) < infinity && __builtin_fabs(b) < infinity;
  // An overflow of finite a * b must not meet an infinite c of the other sign.
  if (finite_product && __builtin_fabs(c) == infinity) return c;
  if (!finite_product || c != c) return product + c;
  if (a == 0 || b == 0) return product + c;
  const Unpacked x = unpack(a), y = unpack(b);
  Unpacked z = unpack(c);
  const bool negative = x.negative != y.negative;
  U128 m = U128(u64(x.mantissa)) * u64(y.mantissa), n = u64(z.mantissa);
  i64 e = x.exponent + y.exponent;
  if (c == 0) return pack(negative, m, e);
  // Bring both to one exponent with room for a carry and for a lost bit at the bottom.
  const i64 room_n = 72, room_m = __builtin_clzl(u64(m >> 64) | 1) - 3;
  n <<= room_n;
  z.exponent -= room_n;
  m <<= room_m;
  e -= room_m;
  if (e > z.exponent) {
    n = shift_sticky(n, e - z.exponent);
  } else {
    m = shift_sticky(m, z.exponent - e);
    e = z.exponent;
  }
  if (negative == z.negative) return pack(negative, m + n, e);
  if (m == n) return 0.0;
  return m > n ? pack(negative, m - n, e) : pack(z.negative, n - m, e);
}
VEC_FN V<f64> fma(V<f64> a, V<f64> b, V<f64> c) { return {fma_f64(a.v, b.v, c.v)}; }

}  // namespace VEC_ISA
}  // namespace vec
