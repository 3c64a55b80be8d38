// The primitives that vec/generic builds on, for one lane.
#pragma once

namespace vec {
inline namespace VEC_ISA {

template <class T>
constexpr bool wide = false;
template <class T>
using Part = T;
// Narrow integers are promoted: computing in `unsigned` keeps u16 * u16 away from int overflow.
template <class T>
using Calc = typename ChooseType<(sizeof(T) < 4), u32, Unsigned<T>>::type;

template <class T>
struct V {
  typedef T Element;
  T v;
};

template <class T>
VEC_FN T iota_part() {
  return T(0);
}
template <class T>
VEC_FN T splat(T x) {
  return x;
}
template <class T>
VEC_FN T lane(V<T> a, int) {
  return a.v;
}
template <int K, class T>
VEC_FN V<T> exchange(V<T> a) {
  return a;
}
template <class T>
VEC_FN V<T> shift_up(V<T> a, int) {
  return a;
}
template <int F, int G, class T>
VEC_FN V<T> repeat_lanes(V<T> a) {
  return a;
}
template <class T>
VEC_FN V<T> evens(V<T> a, V<T>) {
  return a;
}

// ---- masks ----
struct M {
  bool v;
};
VEC_FN M first_n(int n) { return {n > 0}; }
VEC_FN bool test(M m, int) { return m.v; }
VEC_FN bool any(M m) { return m.v; }
VEC_FN bool all(M m) { return m.v; }
VEC_FN M m_and(M a, M b) { return {a.v && b.v}; }
VEC_FN M m_or(M a, M b) { return {a.v || b.v}; }
VEC_FN M m_xor(M a, M b) { return {a.v != b.v}; }
VEC_FN M m_not(M a) { return {!a.v}; }
VEC_FN M select(M m, M a, M b) { return m.v ? a : b; }
template <class T>
VEC_FN V<T> select(M m, V<T> a, V<T> b) {
  return {m.v ? a.v : b.v};
}

template <int P, class T>
VEC_FN M compare(V<T> a, V<T> b) {
  if constexpr (P == kEq) return {a.v == b.v};
  if constexpr (P == kNe) return {a.v != b.v};
  if constexpr (P == kLt) return {a.v < b.v};
  if constexpr (P == kLe) return {a.v <= b.v};
  if constexpr (P == kGt) return {a.v > b.v};
  if constexpr (P == kGe) return {a.v >= b.v};
}
template <class T>
VEC_FN M unordered(V<T> a, V<T> b) {
  return {a.v != a.v || b.v != b.v};
}
template <class T>
VEC_FN V<T> nan_where(M m, V<T> nan, V<T> a) {
  return select(m, nan, a);
}

// ---- arithmetic ----
template <class T>
VEC_FN V<T> min_raw(V<T> a, V<T> b) {
  return {a.v < b.v ? a.v : b.v};
}
template <class T>
VEC_FN V<T> max_raw(V<T> a, V<T> b) {
  return {a.v > b.v ? a.v : b.v};
}
template <class T>
VEC_FN V<T> max_of_numbers(V<T> a, V<T> b) {
  if (a.v == 0 && b.v == 0) return {a.v + b.v};
  return max_raw(a, b);
}
template <class T>
VEC_FN T div_part(T a, T b) {
  return a / b;
}
VEC_FN V<u8> narrow_saturated(V<u32> a) { return {u8(a.v < 255 ? a.v : 255)}; }
VEC_FN V<f32> look_up(const f32 (&table)[8], V<u32> index) { return {table[index.v & 7]}; }

template <class U>
VEC_FN V<U> shift_left(V<U> a, V<U> n) {
  return {U(a.v << n.v)};
}
template <class T>
VEC_FN V<T> shift_right(V<T> a, V<Unsigned<T>> n) {
  return {T(a.v >> n.v)};
}

// Rounds without an instruction for it, which baseline x86-64 lacks: through an integer where there is a fraction at
// all.
template <int Mode, class T>
VEC_FN V<T> round_to_integral(V<T> a) {
  typedef Signed<T> I;
  constexpr T limit = T(I(1) << (sizeof(T) == 4 ? 23 : 52));
  const T magnitude = a.v < 0 ? -a.v : a.v;
  if (!(magnitude < limit)) return a;
  T r = T(I(a.v));
  if constexpr (Mode == kRoundDown) r -= r > a.v ? T(1) : T(0);
  if constexpr (Mode == kRoundUp) r += r < a.v ? T(1) : T(0);
  if constexpr (Mode == kRoundEven) {
    const T rest = a.v - r;  // exact, sign of a
    const bool odd = I(r) & 1;
    if (rest > T(0.5) || (rest == T(0.5) && odd)) r += 1;
    if (rest < T(-0.5) || (rest == T(-0.5) && odd)) r -= 1;
  }
  const Unsigned<T> sign = Unsigned<T>(1) << (8 * sizeof(T) - 1);
  const Unsigned<T> bits = bit_cast<Unsigned<T>>(r) | (bit_cast<Unsigned<T>>(a.v) & sign);
  return {bit_cast<T>(bits)};
}

template <class To, class From>
VEC_FN V<To> convert(V<From> a) {
  return {To(a.v)};
}

// ---- memory ----
template <class T>
VEC_FN V<T> load_vector(const T* p) {
  V<T> r;
  memcpy(&r, p, sizeof r);
  return r;
}
template <class T>
VEC_FN V<T> load_vector(const T* p, int n) {
  return n > 0 ? load_vector<T>(p) : V<T>{};
}
template <class T>
VEC_FN void store_vector(T* p, V<T> x) {
  memcpy(p, &x, sizeof x);
}
template <class T>
VEC_FN void store_vector(T* p, V<T> x, int n) {
  if (n > 0) store_vector<T>(p, x);
}
template <class T>
constexpr bool has_gather = false;
template <class T>
constexpr bool has_masked_load = false;
constexpr bool masked_load_blends = false;
VEC_FN void nt_store(f32* p, V<f32> x) { store_vector<f32>(p, x); }
VEC_FN void fence() {}

}  // namespace VEC_ISA
}  // namespace vec
