// Parts of emitted kernels other than vector operations: lane counts as types, so that one loop body serves full
// vectors and tails; access by address class; checked indices; lane-wise reductions. Included after vec/<isa>/vec.h.
#pragma once

#ifdef CPPGEN_LINKED  // a part of a program, which calls them itself
#define CPPGEN_KERNEL extern "C" __attribute__((visibility("hidden")))
#else
#define CPPGEN_KERNEL extern "C" __attribute__((visibility("default")))
#endif
#define CPPGEN_LAMBDA __attribute__((always_inline))
#define CPPGEN_CALLED_LAMBDA __attribute__((noinline))
#define CPPGEN_INLINE inline __attribute__((always_inline))

namespace vec {
inline namespace VEC_ISA {

// States how many lanes of a vector are points of the loop: all L of them, or the first `count`.
struct All {
  static constexpr int count = L;
};
struct Tail {
  int count;
};
VEC_FN Tail tail(i64 count) { return {int(count)}; }

// A number as a type, to unroll by.
template <int N>
struct Int {
  static constexpr int value = N;
};

// An X for each of U vectors that are computed together.
template <class X, int U>
struct Pack {
  X x[U];
  CPPGEN_INLINE const X& operator[](int u) const { return x[u]; }
};

// f(0) ... f(U - 1), written out: a loop would keep the pack in memory.
template <int U, class F>
VEC_FN auto each(Int<U>, F f) {
  static_assert(U == 1 || U == 2 || U == 4 || U == 8);
  typedef decltype(f(0)) X;
  if constexpr (U == 1)
    return Pack<X, 1>{{f(0)}};
  else if constexpr (U == 2)
    return Pack<X, 2>{{f(0), f(1)}};
  else if constexpr (U == 4)
    return Pack<X, 4>{{f(0), f(1), f(2), f(3)}};
  else
    return Pack<X, 8>{{f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)}};
}
template <int U, class F>
VEC_FN void repeat(Int<U>, F f) {
  f(0);
  if constexpr (U >= 2) f(1);
  if constexpr (U >= 4) f(2), f(3);
  if constexpr (U == 8) f(4), f(5), f(6), f(7);
}

// ---- access ----
template <class S>
VEC_FN Loaded<S> ld(const S* p, All) {
  return load(p);
}
template <class S>
VEC_FN Loaded<S> ld(const S* p, Tail n) {
  return load(p, n.count);
}
template <class S>
VEC_FN void st(S* p, Loaded<S> x, All) {
  store(p, x);
}
template <class S>
VEC_FN void st(S* p, Loaded<S> x, Tail n) {
  store(p, x, n.count);
}

// Asks for `count` elements of each of `rows` rows.
template <class S>
VEC_FN void prefetch_rows(const S* p, i64 stride, i64 rows, i64 count) {
  for (i64 r = 0; r < rows; r++)
    for (i64 at = 0; at < count; at += 64 / i64(sizeof(S))) prefetch(p + r * stride + at);
}

// A whole vector at an aligned address bypasses the caches; fence() before another thread may read it.
template <class S>
VEC_FN void st_non_temporal(S* p, Loaded<S> x, All n) {
  if constexpr (__is_same(S, f32)) {
    if (u64(p) % sizeof(x) == 0) return nt_store(p, x);
  }
  st(p, x, n);
}
template <class S>
VEC_FN void st_non_temporal(S* p, Loaded<S> x, Tail n) {
  st(p, x, n);
}

// n elements, whole vectors of them.
VEC_FN void fill(f32* to, i64 n, f32 value) {
  for (i64 i = 0; i < n; i += L) store(to + i, set1<f32>(value));
}

// Loads one element into every lane.
template <class S>
VEC_FN Loaded<S> ld_all(const S* p) {
  if constexpr (__is_same(S, f16) || is_float8<S>) {
    const V<f32> one = load(p, 1);
    return set1<f32>(lane(one, 0));
  } else if constexpr (__is_same(S, bf16)) {
    return set1<f32>(bit_cast<f32>(u32(p->bits) << 16));
  } else if constexpr (__is_same(S, b8)) {
    return p->value ? first_n(L) : first_n(0);
  } else {
    return set1<S>(*p);
  }
}

template <class S, class N>
VEC_FN Loaded<S> ld_strided(const S* p, i64 stride, N n) {
  return load_strided(p, stride, n.count);
}
// Loads where the stride is 0 or 1.
template <class S, class N>
VEC_FN Loaded<S> ld_step(const S* p, i64 stride, N n) {
  return stride == 1 ? ld(p, n) : ld_all(p);
}
template <class S, class N>
VEC_FN void st_strided(S* p, i64 stride, Loaded<S> x, N n) {
  store_strided(p, stride, x, n.count);
}
// Lane i of value c at p[C * i + c], for C values of two to four.
template <class S, class N, class... X>
VEC_FN void st_interleaved(S* p, N n, X... x) {
  constexpr int C = sizeof...(X);
  const Loaded<S> values[] = {x...};
  if constexpr (sizeof(S) == 4 && L > 1 && __is_same(N, All)) {
    store_interleaved(p, values);
  } else {
    for (int c = 0; c < C; c++) st_strided(p + c, C, values[c], n);
  }
}

// Lane i is *address(i), or the fallback where that is null. Lanes from n on are unspecified, their addresses not
// taken.
template <class S, class N, class F>
VEC_FN Loaded<S> ld_lanes(N n, Loaded<S> fallback, F address) {
  S values[L] = {};
  b8 present[L] = {};
  for (int i = 0; i < n.count; i++)
    if (const S* p = address(i)) values[i] = *p, present[i].value = 1;
  return select(load(present), load(values), fallback);
}

// *address(i) = lane i, in lane order; nothing where the address is null.
template <class S, class N, class F>
VEC_FN void st_lanes(Loaded<S> x, N n, F address) {
  S values[L];
  store(values, x);
  for (int i = 0; i < n.count; i++)
    if (S* p = address(i)) *p = values[i];
}

// Lane i is p[(phase + i) / F * G], 0 <= phase < F.
template <i64 F, i64 G, class S, class N>
VEC_FN Loaded<S> ld_repeated(const S* p, i64 phase, N n) {
  if constexpr (!__is_same(Loaded<S>, M) && (L - 1) / F * G < L)
    if (phase == 0) return repeat_lanes<int(F), int(G)>(load(p, int((n.count - 1) / F * G + 1)));
  return ld_lanes<S>(n, Loaded<S>{}, [=](int i) CPPGEN_LAMBDA { return p + (phase + i) / F * G; });
}

// Lanes lo <= i < hi.
VEC_FN M lanes_between(i64 lo, i64 hi) {
  const auto within = [](i64 i) CPPGEN_LAMBDA { return int(i < 0 ? 0 : i > L ? L : i); };
  return m_and(first_n(within(hi)), m_not(first_n(within(lo))));
}

// Elements from p, `step` apart, of which only those of lanes lo <= i < hi exist; the fallback elsewhere.
template <class S, class N>
VEC_FN Loaded<S> ld_range(const S* p, i64 step, i64 lo, i64 hi, N n, Loaded<S> fallback) {
  if constexpr (L == 1) return lo <= 0 && hi > 0 ? load(p) : fallback;
  if constexpr (__is_same(Loaded<S>, V<S>)) {
    if (step == 0) {
      const i64 last = hi < n.count ? hi : n.count;
      return lo < last && last > 0 ? select(lanes_between(lo, last), ld_all(p), fallback) : fallback;
    }
    // There is no branch where one mask or two say which elements there are, unless masks take instructions.
    if constexpr (has_masked_load<S>) {
      const i64 last = hi < n.count ? hi : n.count;
      if constexpr (masked_load_blends) {
        if (step == 1 && lo <= 0 && last >= L) return load(p);
        if (step == 2 && lo <= 0 && hi > L && n.count == L) return evens(load(p), load(p + L));
      }
      if (step == 1) return load_masked(p, lanes_between(lo, last), fallback);
      if (step == 2) {
        const V<S> low = load_masked(p, lanes_between(2 * lo, 2 * last - 1), V<S>{});
        const V<S> high = load_masked(p + L, lanes_between(2 * lo - L, 2 * last - 1 - L), V<S>{});
        return select(lanes_between(lo, last), evens(low, high), fallback);
      }
    }
  }
  if (lo <= 0 && hi >= n.count) return step == 1 ? ld(p, n) : load_strided(p, step, n.count);
  if (hi <= 0 || lo >= n.count) return fallback;
  const int begin = lo > 0 ? int(lo) : 0, end = hi < n.count ? int(hi) : n.count;
  if constexpr (__is_same(Loaded<S>, M)) {
    return ld_lanes<S>(n, fallback,
                       [=](int i) CPPGEN_LAMBDA { return i >= begin && i < end ? p + i * step : (const S*)0; });
  } else {
    const S* const first = p + begin * step;
    const Loaded<S> there = step == 1 ? load(first, end - begin) : load_strided(first, step, end - begin);
    const Loaded<S> kept = select(first_n(end), lo > 0 ? shift_up(there, begin) : there, fallback);
    return select(first_n(begin), fallback, kept);
  }
}

// ---- integers ----
// Division and remainder rounded toward minus infinity, for b >= 0. A divisor of 0 is a dimension of size 0, over which
// no loop runs, but what does not depend on the loop may be computed before it: it gives 0 and does not trap.
VEC_FN i64 floor_div(i64 a, i64 b) { return b == 0 ? 0 : a >= 0 ? a / b : -((-a + b - 1) / b); }
VEC_FN i64 floor_mod(i64 a, i64 b) { return b == 0 ? 0 : a - floor_div(a, b) * b; }
VEC_FN i64 imin(i64 a, i64 b) { return a < b ? a : b; }

// Piece `number` of `pieces` that cut a length as evenly as may be.
struct Piece {
  i64 begin;
  int size;
};
VEC_FN Piece even_piece(i64 length, i64 pieces, i64 number) {
  const i64 least = length / pieces, larger = length % pieces;
  return {number * least + imin(number, larger), int(least + (number < larger))};
}
VEC_FN Piece whole_piece(i64 length) { return {0, int(length)}; }
VEC_FN i64 imax(i64 a, i64 b) { return a > b ? a : b; }

// The tile of rows and the group of panels of a unit of a contraction. Blocks of `together` tiles, the last of which
// may be smaller, follow each other: of a block, all tiles with the first group, then with the next.
struct UnitPlace {
  i64 tile, group, tile_of_block;
};
VEC_FN UnitPlace place_of_unit(i64 unit, i64 tiles, i64 groups, i64 together) {
  const i64 first = together >= tiles ? 0 : unit / (together * groups) * together, rest = unit - first * groups;
  if (groups == 1) return {unit, 0, rest};
  const i64 count = imin(together, tiles - first);
  return {first + rest % count, rest / count, rest % count};
}

// An index of a tensor: negative ones count from the end. Outside: notes failed check `id` and gives -1.
VEC_FN i64 checked_index(i64 value, i64 extent, int* error, int id) {
  const i64 index = value < 0 ? value + extent : value;
  if (index >= 0 && index < extent) return index;
  __atomic_store_n(error, id + 1, __ATOMIC_RELAXED);
  return -1;
}
// Checks n lanes; `out` gets them, too.
template <class N>
VEC_FN V<i64> checked_indices(i64* out, V<i64> values, i64 extent, int* error, int id, N n) {
  const V<i64> size = set1(extent), zero = set1<i64>(0);
  const V<i64> index = select(lt(values, zero), values + size, values);
  const M inside = m_and(ge(index, zero), lt(index, size));
  if (any(m_and(first_n(n.count), m_not(inside)))) __atomic_store_n(error, id + 1, __ATOMIC_RELAXED);
  const V<i64> checked = select(inside, index, set1<i64>(-1));
  store(out, checked);
  return checked;
}

// Returns indices that are known to be inside.
VEC_FN i64 known_index(i64 value, i64 extent) { return value < 0 ? value + extent : value; }
VEC_FN V<i64> known_indices(i64* out, V<i64> values, i64 extent) {
  const V<i64> index = select(lt(values, set1<i64>(0)), values + set1(extent), values);
  store(out, index);
  return index;
}

// One dimension of an address: the index of each lane, times `step` elements. Lanes with a negative index have no
// element.
struct LaneIndices {
  V<i64> index;
  i64 step;
};

// Lane i is the element that its indices name; the fallback where one of them is negative. Lanes from n on are
// unspecified, their elements not read.
template <class S, class N, class... Indices>
VEC_FN Loaded<S> ld_at(const S* p, N n, Loaded<S> fallback, Indices... indices) {
  const V<i64> place = (... + (indices.index * set1(indices.step)));
  M present = first_n(n.count);
  ((present = m_and(present, ge(indices.index, set1<i64>(0)))), ...);
  if constexpr (has_gather<S>) {
    return select(present, gather_vector<S>(p, place, present), fallback);
  } else {
    i64 places[L];
    S values[L] = {};
    store(places, place);
    if (all(present)) {
      for (int i = 0; i < L; i++) values[i] = p[places[i]];
    } else {
      for (int i = 0; i < L; i++)
        if (test(present, i)) values[i] = p[places[i]];
    }
    return select(present, load(values), fallback);
  }
}

// Lane i is value(i).
template <class F>
VEC_FN V<i64> index_lanes(F value) {
  i64 values[L];
  for (int i = 0; i < L; i++) values[i] = value(i);
  return load(values);
}

// ---- reductions ----
// Lanes that are no points contribute the identity.
template <class X>
VEC_FN X keep(X x, All, X) {
  return x;
}
template <class X>
VEC_FN X keep(X x, Tail n, X identity) {
  return select(first_n(n.count), x, identity);
}

template <class T>
VEC_FN V<T> all_sum(V<T> a) {
  return set1<T>(hsum(a));
}
template <class T>
VEC_FN V<T> all_prod(V<T> a) {
  return set1<T>(hprod(a));
}
template <class T>
VEC_FN V<T> all_min(V<T> a) {
  return set1<T>(hmin(a));
}
template <class T>
VEC_FN V<T> all_max(V<T> a) {
  return set1<T>(hmax(a));
}
template <class T>
VEC_FN V<T> all_max_number(V<T> a) {  // no lane is NaN
  return set1<T>(hmax_raw(a));
}
// One lane after the other by f, a function of two vectors.
template <class T, class F>
VEC_FN V<T> combine_lanes(V<T> a, F f) {
  V<T> all = set1<T>(lane(a, 0));
  for (int i = 1; i < L; i++) all = f(all, set1<T>(lane(a, i)));
  return all;
}
template <class F>
VEC_FN M combine_lanes(M m, F f) {
  M all = first_n(test(m, 0) ? L : 0);
  for (int i = 1; i < L; i++) all = f(all, first_n(test(m, i) ? L : 0));
  return all;
}
VEC_FN M all_any(M m) { return any(m) ? first_n(L) : first_n(0); }
VEC_FN M all_all(M m) { return all(m) ? first_n(L) : first_n(0); }

// The best value so far and where it was. Max: greatest instead of least. Last: of equals the last instead of the
// first.
template <class T, bool Max, bool Last>
struct Best {
  V<T> value;
  V<i64> position;

  static CPPGEN_INLINE M better(V<T> a, V<T> b) {
    M m = Max ? gt(a, b) : lt(a, b);
    if constexpr (is_float<T>) m = m_or(m, m_and(is_nan(a), m_not(is_nan(b))));
    return m;
  }
  static CPPGEN_INLINE M tied(V<T> a, V<T> b) {
    M m = eq(a, b);
    if constexpr (is_float<T>) m = m_or(m, m_and(is_nan(a), is_nan(b)));
    return m;
  }
  static CPPGEN_INLINE Best none() { return {zero<T>(), set1<i64>(-1)}; }

  template <class N>
  CPPGEN_INLINE void add(V<T> v, V<i64> p, N n) {
    add_where(v, p, first_n(n.count));
  }
  CPPGEN_INLINE void merge(const Best& other) {
    add_where(other.value, other.position, ge(other.position, zero<i64>()));
  }
  // Combines all lanes that saw a point.
  CPPGEN_INLINE V<i64> overall() const {
    T best_value = lane(value, 0);
    i64 best = lane(position, 0);
    for (int i = 1; i < L; i++) {
      const T v = lane(value, i);
      const i64 p = lane(position, i);
      if (p < 0) continue;
      const bool nan = v != v, best_nan = best_value != best_value;
      const bool ahead = (Max ? v > best_value : v < best_value) || (nan && !best_nan);
      const bool equal = v == best_value || (nan && best_nan);
      if (best < 0 || ahead || (equal && (Last ? p > best : p < best))) best_value = v, best = p;
    }
    return set1<i64>(best);
  }

 private:
  CPPGEN_INLINE void add_where(V<T> v, V<i64> p, M points) {
    M take = m_or(better(v, value), lt(position, zero<i64>()));
    const M nearer = Last ? gt(p, position) : lt(p, position);
    take = m_and(m_or(take, m_and(tied(v, value), nearer)), points);
    value = select(take, v, value);
    position = select(take, p, position);
  }
};

}  // namespace VEC_ISA
}  // namespace vec

#include "assertions.h"
#include "few_rows.h"
