// Rows of attention scores become weights, block by block of the keys.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// One row of online softmax: scores[k] = exp(scores[k] - the greatest so far), k < count, where no score is above `top`
// in its lane; the greatest and the total are brought up to date. Gives the scale of what was summed before. Where all
// scores so far are -infinity, powers are taken against a finite number: they are 0, and so is the total.
// Fast: with the powers of math_fast.h.
template <bool Fast = false, class R>
VEC_FN V<f32> take_powers(const R* rt, f32* scores, i64 count, V<f32> top, f32* greatest, f32* total) {
  const V<f32> before = set1<f32>(*greatest), now = max(before, all_max(top));
  const auto power_of = [=](V<f32> x) {
    if constexpr (Fast)
      return fast::exp(rt, x);
    else
      return exp(rt, x);
  };
  const V<f32> shift = max(now, set1<f32>(-0x1.fffffep127f)), scale = power_of(before - shift);
  V<f32> sum = zero<f32>();
  for (i64 k = 0; k < count; k += L) {
    const int n = count - k < L ? int(count - k) : L;
    const V<f32> power = power_of(load(scores + k, n) - shift);
    store(scores + k, power, n);
    sum = sum + keep(power, Tail{n}, zero<f32>());
  }
  *greatest = lane(now, 0);
  *total = *total * lane(scale, 0) + hsum(sum);
  return scale;
}

}  // namespace VEC_ISA
}  // namespace vec
