// Operations on V<T>, written once with the compiler's vector operators. The ISA header supplies, before this file:
//   compare<P>(V<T>, V<T>) -> M        P: kEq kNe kLt kLe kGt kGe; ordered, except that kNe is true for NaN
//   unordered(V<F>, V<F>) -> M         either operand is NaN
//   nan_where(M, V<F> nan, V<F>)       NaN where the mask is true; `nan` is NaN there
//   select(M, V<T>, V<T>), first_n, test, any, all, m_and, m_or, m_xor, m_not, select(M, M, M)
//   min_raw, max_raw(V<T>, V<T>)       a < b ? a : b and a > b ? a : b: the second operand when either is NaN
//   max_of_numbers(V<F>, V<F>)         the greater one, +0 being above -0; anything when either is NaN
//   shift_left, shift_right            of 4- and 8-byte types, counts below the width
//   sqrt, fma, round_to_integral<Mode>(V<F>), has_fma
//   narrow_saturated(V<u32>) -> V<u8>  255 where it is more
//   look_up(const f32 (&table)[8], V<u32>)  the elements at the lowest three bits of each index, of which the fourth is
//                                      zero; 32-byte aligned
// Integer arithmetic wraps. No operation traps or is undefined for any input.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// Applies f to the parts of one, two or three vectors of T.
#define VEC_MAP1(T, f)         \
  if constexpr (wide<T>)       \
    return {f(a.lo), f(a.hi)}; \
  else                         \
    return {f(a.v)};
#define VEC_MAP2(T, f)                     \
  if constexpr (wide<T>)                   \
    return {f(a.lo, b.lo), f(a.hi, b.hi)}; \
  else                                     \
    return {f(a.v, b.v)};

template <class T>
VEC_FN V<T> set1(T x) {
  if constexpr (wide<T>)
    return {splat<T>(x), splat<T>(x)};
  else
    return {splat<T>(x)};
}
template <class T>
VEC_FN V<T> zero() {
  return V<T>{};
}

// Returns the bits as another element type of the same size.
template <class To, class From>
VEC_FN V<To> bits_as(V<From> a) {
  return __builtin_bit_cast(V<To>, a);
}

// ---- arithmetic ----
#define VEC_ARITHMETIC(op, part_name)              \
  template <class T>                               \
  VEC_FN Part<T> part_name(Part<T> a, Part<T> b) { \
    if constexpr (is_float<T>)                     \
      return a op b;                               \
    else                                           \
      return (Part<T>)((Calc<T>)a op(Calc<T>) b);  \
  }                                                \
  template <class T>                               \
  VEC_FN V<T> operator op(V<T> a, V<T> b) {        \
    VEC_MAP2(T, part_name<T>)                      \
  }
VEC_ARITHMETIC(+, add_part)
VEC_ARITHMETIC(-, sub_part)
VEC_ARITHMETIC(*, mul_part)
#undef VEC_ARITHMETIC

// Bitwise operations: integers only.
#define VEC_BITWISE(name, op)              \
  template <class T>                       \
  VEC_FN V<T> name(V<T> a, V<T> b) {       \
    if constexpr (wide<T>)                 \
      return {a.lo op b.lo, a.hi op b.hi}; \
    else                                   \
      return {(Part<T>)(a.v op b.v)};      \
  }
VEC_BITWISE(bit_and, &)
VEC_BITWISE(bit_or, |)
VEC_BITWISE(bit_xor, ^)
#undef VEC_BITWISE

template <class T>
VEC_FN V<T> bit_not(V<T> a) {
  return bit_xor(a, set1<T>(T(~T(0))));
}

// Floats: flips the sign bit. Written as a negation, which the compiler folds into a multiply-add.
template <class T>
VEC_FN Part<T> neg_part(Part<T> a) {
  if constexpr (is_float<T>)
    return -a;
  else
    return (Part<T>)(Calc<T>{} - (Calc<T>)a);
}
template <class T>
VEC_FN V<T> operator-(V<T> a) {
  VEC_MAP1(T, neg_part<T>)
}
template <class T>
VEC_FN V<T> neg(V<T> a) {
  return -a;
}

// ---- comparison ----
#define VEC_COMPARE(name, predicate) \
  template <class T>                 \
  VEC_FN M name(V<T> a, V<T> b) {    \
    return compare<predicate>(a, b); \
  }
VEC_COMPARE(eq, kEq)
VEC_COMPARE(ne, kNe)
VEC_COMPARE(lt, kLt)
VEC_COMPARE(le, kLe)
VEC_COMPARE(gt, kGt)
VEC_COMPARE(ge, kGe)
#undef VEC_COMPARE

VEC_FN bool none(M m) { return !any(m); }

template <class T>
VEC_FN M is_nan(V<T> a) {
  if constexpr (is_float<T>)
    return ne(a, a);
  else
    return first_n(0);
}

// ---- sign, magnitude, order ----
template <class T>
VEC_FN V<T> abs(V<T> a) {
  if constexpr (is_float<T>)
    return bits_as<T>(bit_and(bits_as<Unsigned<T>>(a), set1<Unsigned<T>>(~Unsigned<T>(0) >> 1)));
  else if constexpr (is_signed<T>)
    return select(lt(a, zero<T>()), -a, a);
  else
    return a;
}

// Magnitude of a, sign of b (floats).
template <class T>
VEC_FN V<T> copysign(V<T> a, V<T> b) {
  typedef Unsigned<T> U;
  constexpr U sign = U(1) << (8 * sizeof(T) - 1);
  return bits_as<T>(bit_or(bit_and(bits_as<U>(a), set1<U>(U(~sign))), bit_and(bits_as<U>(b), set1<U>(sign))));
}

// x with its sign flipped where `by` is negative (sign bit set).
template <class T>
VEC_FN V<T> flip_sign(V<T> x, V<T> by) {
  typedef Unsigned<T> U;
  constexpr U sign = U(1) << (8 * sizeof(T) - 1);
  return bits_as<T>(bit_xor(bits_as<U>(x), bit_and(bits_as<U>(by), set1<U>(sign))));
}

template <class T>
VEC_FN M is_inf(V<T> a) {
  if constexpr (is_float<T>)
    return eq(abs(a), set1<T>(T(__builtin_inf())));
  else
    return first_n(0);
}

// -1, 0 or 1; +0 for either zero; NaN stays NaN.
template <class T>
VEC_FN V<T> sign(V<T> a) {
  const V<T> z = zero<T>();
  V<T> r = select(gt(a, z), set1<T>(1), z);
  if constexpr (is_signed<T>) r = select(lt(a, z), set1<T>(T(-1)), r);
  if constexpr (is_float<T>) r = select(is_nan(a), a, r);
  return r;
}

// Floats: NaN if either operand is NaN; -0 is below +0.
template <class T>
VEC_FN V<T> min(V<T> a, V<T> b) {
  typedef Unsigned<T> U;
  if constexpr (is_float<T>)
    // Both orders agree except for NaN (one of the two is the NaN) and zeros: there the union of the bits is right.
    return bits_as<T>(bit_or(bits_as<U>(min_raw(a, b)), bits_as<U>(min_raw(b, a))));
  else
    return min_raw(a, b);
}
template <class T>
VEC_FN V<T> max(V<T> a, V<T> b) {
  if constexpr (is_float<T>)
    return nan_where(unordered(a, b), a + b, max_of_numbers(a, b));
  else
    return max_raw(a, b);
}

// max(x, bound) and min(x, bound) for a bound that is neither zero nor NaN; at_least takes -0, at_most 0, too.
template <class T>
VEC_FN V<T> at_least(V<T> x, V<T> bound) {
  return max_raw(bound, x);
}
template <class T>
VEC_FN V<T> at_most(V<T> x, V<T> bound) {
  return min_raw(bound, x);
}
// max(x, 0)
template <class T>
VEC_FN V<T> at_least_zero(V<T> x) {
  const V<T> zero = set1<T>(0);
  return max_raw(zero, x) + zero;  // of -0, too
}

template <class T>
VEC_FN V<T> floor(V<T> a) {
  return round_to_integral<kRoundDown>(a);
}
template <class T>
VEC_FN V<T> ceil(V<T> a) {
  return round_to_integral<kRoundUp>(a);
}
template <class T>
VEC_FN V<T> trunc(V<T> a) {
  return round_to_integral<kRoundToZero>(a);
}
template <class T>
VEC_FN V<T> round_even(V<T> a) {
  return round_to_integral<kRoundEven>(a);
}

// a*b + c, fused where the ISA has the instruction (has_fma) and rounded twice elsewhere: for sums of products, whose
// speed matters more than the same bits on the scalar ISA.
template <class T>
VEC_FN V<T> mul_add(V<T> a, V<T> b, V<T> c) {
  if constexpr (is_float<T> && has_fma)
    return fma(a, b, c);
  else
    return a * b + c;
}

template <class T>
VEC_FN V<T> iota(T start) {
  if constexpr (wide<T>)
    return V<T>{iota_part<T>(), iota_part<T>() + splat<T>(T(L / 2))} + set1<T>(start);
  else
    return V<T>{iota_part<T>()} + set1<T>(start);
}

}  // namespace VEC_ISA
}  // namespace vec
