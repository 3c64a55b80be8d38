// Primitives that vector registers share: written with the compiler's vector operators.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
VEC_FN V<T> min_raw(V<T> a, V<T> b) {
  if constexpr (is_float<T>) {
    if constexpr (wide<T>)
      return {min_part(a.lo, b.lo), min_part(a.hi, b.hi)};
    else
      return {min_part(a.v, b.v)};
  } else if constexpr (wide<T>) {
    return {a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
  } else {
    return {a.v < b.v ? a.v : b.v};
  }
}
template <class T>
VEC_FN V<T> max_raw(V<T> a, V<T> b) {
  if constexpr (is_float<T>) {
    if constexpr (wide<T>)
      return {max_part(a.lo, b.lo), max_part(a.hi, b.hi)};
    else
      return {max_part(a.v, b.v)};
  } else if constexpr (wide<T>) {
    return {a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
  } else {
    return {a.v > b.v ? a.v : b.v};
  }
}

VEC_FN V<f32> max_of_numbers(V<f32> a, V<f32> b) { return {max_of_numbers_part(a.v, b.v)}; }
VEC_FN V<f64> max_of_numbers(V<f64> a, V<f64> b) {
  return {max_of_numbers_part(a.lo, b.lo), max_of_numbers_part(a.hi, b.hi)};
}

template <class T>
VEC_FN Part<T> div_part(Part<T> a, Part<T> b) {
  return a / b;
}

VEC_FN V<f32> sqrt(V<f32> a) { return {sqrt_part(a.v)}; }
VEC_FN V<f64> sqrt(V<f64> a) { return {sqrt_part(a.lo), sqrt_part(a.hi)}; }
constexpr bool has_fma = true;
VEC_FN V<f32> fma(V<f32> a, V<f32> b, V<f32> c) { return {fma_part(a.v, b.v, c.v)}; }
VEC_FN V<f64> fma(V<f64> a, V<f64> b, V<f64> c) { return {fma_part(a.lo, b.lo, c.lo), fma_part(a.hi, b.hi, c.hi)}; }
template <int Mode>
VEC_FN V<f32> round_to_integral(V<f32> a) {
  return {round_part<Mode>(a.v)};
}
template <int Mode>
VEC_FN V<f64> round_to_integral(V<f64> a) {
  return {round_part<Mode>(a.lo), round_part<Mode>(a.hi)};
}

// Shifts of 4- and 8-byte types by counts below the width.
template <class U>
VEC_FN V<U> shift_left(V<U> a, V<U> n) {
  if constexpr (wide<U>)
    return {a.lo << n.lo, a.hi << n.hi};
  else
    return {a.v << n.v};
}
template <class T>
VEC_FN V<T> shift_right(V<T> a, V<Unsigned<T>> n) {
  if constexpr (wide<T>)
    return {a.lo >> (Part<T>)n.lo, a.hi >> (Part<T>)n.hi};
  else
    return {a.v >> (Part<T>)n.v};
}

template <class T>
VEC_FN Half<T> low_half(Part<T> a) {
  if constexpr (L == 16)
    return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
template <class T>
VEC_FN Half<T> high_half(Part<T> a) {
  if constexpr (L == 16)
    return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
  else
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
template <class T>
VEC_FN Part<T> join(Half<T> lo, Half<T> hi) {
  if constexpr (L == 16)
    return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  else
    return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
}

// See vec/generic/cast.h for the pairs.
template <class To, class From>
VEC_FN V<To> convert(V<From> a) {
  if constexpr (wide<From> && wide<To>)
    return {__builtin_convertvector(a.lo, Part<To>), __builtin_convertvector(a.hi, Part<To>)};
  else if constexpr (wide<From>)
    return {join<To>(__builtin_convertvector(a.lo, Half<To>), __builtin_convertvector(a.hi, Half<To>))};
  else if constexpr (wide<To>)
    return {__builtin_convertvector(low_half<From>(a.v), Part<To>),
            __builtin_convertvector(high_half<From>(a.v), Part<To>)};
  else if constexpr (sizeof(To) < sizeof(From))
    return {narrow<To, From>(a.v)};
  else if constexpr (sizeof(To) > sizeof(From))
    return {widen<To, From>(a.v)};
  else
    return {__builtin_convertvector(a.v, Part<To>)};
}

// Unaligned access to one part.
template <class T>
struct __attribute__((packed, may_alias)) UnalignedPart {
  Part<T> v;
};
template <class T>
VEC_FN V<T> load_vector(const T* p) {
  typedef const UnalignedPart<T>* P;
  if constexpr (wide<T>)
    return {((P)p)->v, ((P)(p + L / 2))->v};
  else
    return {((P)p)->v};
}
template <class T>
VEC_FN void store_vector(T* p, V<T> x) {
  typedef UnalignedPart<T>* P;
  if constexpr (wide<T>) {
    ((P)p)->v = x.lo;
    ((P)(p + L / 2))->v = x.hi;
  } else {
    ((P)p)->v = x.v;
  }
}

}  // namespace VEC_ISA
}  // namespace vec
