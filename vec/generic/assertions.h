// Assertions of kernels. Included after kernel.h.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// The condition; where it does not hold, failed check `id` is noted.
VEC_FN bool holds(bool condition, int* error, int id) {
  if (!condition) __atomic_store_n(error, id + 1, __ATOMIC_RELAXED);
  return condition;
}

// Returns whether the condition holds for each of n lanes.
template <class N, class F>
VEC_FN bool all_hold(N n, int* error, int id, F condition) {
  for (int i = 0; i < n.count; i++)
    if (!holds(condition(i), error, id)) return false;
  return true;
}

}  // namespace VEC_ISA
}  // namespace vec
