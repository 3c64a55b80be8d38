// Powers whose exponent is known when a kernel is written.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// x to the power Quarters / 4, one of -4, -2, 1, 2, 3, 6, 8 and 12: by products and roots, to 2.4 ULP.
template <int Quarters>
VEC_FN V<f32> power_of_quarters(V<f32> x) {
  const V<f32> a = abs(x), infinity = set1<f32>(__builtin_inff());
  if constexpr (Quarters == -4) return div(set1<f32>(1), x);
  if constexpr (Quarters == 8) return x * x;
  if constexpr (Quarters == 12) return x * x * x;
  const V<f32> root = sqrt(x + zero<f32>());  // that of -0 is 0
  V<f32> r = root;
  if constexpr (Quarters == 1) r = sqrt(root);
  if constexpr (Quarters == 3) r = root * sqrt(root);
  if constexpr (Quarters == 6) r = root * a;
  if constexpr (Quarters == -2) r = div(set1<f32>(1), root);
  return select(eq(x, -infinity), Quarters < 0 ? zero<f32>() : infinity, r);
}

}  // namespace VEC_ISA
}  // namespace vec
