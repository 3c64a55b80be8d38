// fmod, exactly, for all operands.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// One step takes a multiple of b, or of b scaled up while the quotient would overflow, from r. The quotient q is
// rounded to the precision of T, so r - q*b is exactly representable and comes out of one fma; it may turn negative,
// which only flips a sign. Every step removes the precision of T from the quotient: at most 12 steps for f32, 40 for
// f64.
template <class T>
VEC_FN V<T> float_remainder(V<T> a, V<T> b) {
  const V<T> z = zero<T>(), infinity = set1<T>(T(__builtin_inf()));
  const V<T> scale = set1<T>(sizeof(T) == 4 ? T(0x1p126) : T(0x1p1022)), d = abs(b);
  V<T> r = abs(a);
  const M valid = m_and(lt(r, infinity), gt(d, z));  // false for NaN
  const M reduce = m_and(valid, lt(d, infinity));
  M flipped = first_n(0);
  M left = m_and(reduce, ge(r, d));
  while (any(left)) {
    V<T> e = select(gt(r, d * scale), d * scale, d);
    e = select(gt(r, e * scale), e * scale, e);
    const V<T> q = trunc(div(r, e));
    const V<T> next = fma(-q, e, r);
    flipped = m_xor(flipped, m_and(left, lt(next, z)));
    r = select(left, abs(next), r);
    left = m_and(reduce, ge(r, d));
  }
  r = select(m_and(flipped, ne(r, z)), d - r, r);
  return select(valid, copysign(r, a), (a * b) - (a * b) + div(z, z));
}

}  // namespace VEC_ISA
}  // namespace vec
