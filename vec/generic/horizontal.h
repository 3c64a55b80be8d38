// Reductions over the lanes of one vector. The order is a fixed tree that depends on L only: lane i is combined with
// lane i + L/2, then of the first half i with i + L/4, and so on.
#pragma once

namespace vec {
inline namespace VEC_ISA {

#define VEC_HORIZONTAL(name, combine)                        \
  template <int K, class T>                                  \
  VEC_FN V<T> name##_tree(V<T> a) {                          \
    if constexpr (K == 0)                                    \
      return a;                                              \
    else                                                     \
      return name##_tree<K / 2>(combine(a, exchange<K>(a))); \
  }                                                          \
  template <class T>                                         \
  VEC_FN T name(V<T> a) {                                    \
    return lane(name##_tree<L / 2>(a), 0);                   \
  }
VEC_HORIZONTAL(hsum, operator+)
VEC_HORIZONTAL(hprod, operator*)
VEC_HORIZONTAL(hmin, min)
VEC_HORIZONTAL(hmax, max)
VEC_HORIZONTAL(hmax_raw, max_raw)
#undef VEC_HORIZONTAL

VEC_FN bool hany(M m) { return any(m); }
VEC_FN bool hall(M m) { return all(m); }

}  // namespace VEC_ISA
}  // namespace vec
