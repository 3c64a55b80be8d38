// Defines for clang what g++ has for vectors of every instruction set.
#pragma once

// Elements of one vector, or of two one after the other, by their positions, which are constants after inlining.
namespace vec {
template <class Vector, class Positions>
__attribute__((always_inline)) inline Vector shuffled(Vector a, Positions positions) {
  constexpr int n = sizeof(Positions) / sizeof(positions[0]);
  Vector r;
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i++) r[i] = a[positions[i] & (n - 1)];
  return r;
}
template <class Vector, class Positions>
__attribute__((always_inline)) inline Vector shuffled(Vector a, Vector b, Positions positions) {
  constexpr int n = sizeof(Positions) / sizeof(positions[0]);
  Vector r;
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i++) r[i] = positions[i] & n ? b[positions[i] & (n - 1)] : a[positions[i] & (n - 1)];
  return r;
}
}  // namespace vec
#define __builtin_shuffle(...) vec::shuffled(__VA_ARGS__)
