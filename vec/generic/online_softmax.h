// Rows of attention scores become weights, block by block of the keys.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// Fast: with the powers of math_fast.h.
template <bool Fast, class R>
VEC_FN V<f32> power(const R* rt, V<f32> x) {
  if constexpr (Fast)
    return fast::exp_flushed(rt, x);
  else
    return exp_flushed(rt, x);
}

// The number that powers are relative to. Where all scores so far are -infinity, it is finite: powers are 0, and so is
// the total.
VEC_FN V<f32> shift_of(V<f32> greatest) { return max(greatest, set1<f32>(-0x1.fffffep127f)); }

// One row of online softmax: scores[k] = exp(scores[k] - the greatest so far), k < count, where no score is above `top`
// in its lane; the greatest and the total are brought up to date. Gives the scale of what was summed before.
template <bool Fast = false, class R>
VEC_FN V<f32> take_powers(const R* rt, f32* scores, i64 count, V<f32> top, f32* greatest, f32* total) {
  const V<f32> before = set1<f32>(*greatest), now = max(before, all_max(top));
  const V<f32> shift = shift_of(now), scale = power<Fast>(rt, before - shift);
  V<f32> sum = zero<f32>();
  for (i64 k = 0; k < count; k += L) {
    const int n = count - k < L ? int(count - k) : L;
    const V<f32> p = power<Fast>(rt, load(scores + k, n) - shift);
    store(scores + k, p, n);
    sum = sum + keep(p, Tail{n}, zero<f32>());
  }
  *greatest = lane(now, 0);
  *total = *total * lane(scale, 0) + hsum(sum);
  return scale;
}

// Sums of very many blocks are added in groups. The sums of the groups before, with their total, are relative to the
// greatest score at their end.
struct EarlierSums {
  f32 *sums, *total, *greatest;
};

VEC_FN void clear_sums(const EarlierSums& earlier, i64 count, int rows) {
  fill(earlier.sums, count, 0);
  for (int r = 0; r < rows; r++) earlier.total[r] = 0, earlier.greatest[r] = -__builtin_inff();
}

// Adds the sums of n lanes of one row or of n rows since then, which begin at 0 again; after the last group, they
// become those of all groups.
template <bool Last, class N>
VEC_FN void join_sums(f32* sums, f32* earlier, V<f32> scale, N n) {
  const V<f32> all = load(earlier, n) * scale + load(sums, n);
  if constexpr (Last) {
    store(sums, all, n);
  } else {
    store(earlier, all, n);
    store(sums, zero<f32>(), n);
  }
}

// Does the same for a panel of `width` rows with `count` sums each, sums[i * width + row], or for a row with its sums.
template <bool Last, bool Fast = false, class R>
VEC_FN void join_panel(const R* rt, f32* sums, f32* total, const f32* greatest, const EarlierSums& earlier, i64 count,
                       int width) {
  for (int j = 0; j < width; j += L) {
    const V<f32> now = load(greatest + j), scale = power<Fast>(rt, load(earlier.greatest + j) - shift_of(now));
    join_sums<Last>(total + j, earlier.total + j, scale, L);
    for (i64 i = 0; i < count; i++) join_sums<Last>(sums + i * width + j, earlier.sums + i * width + j, scale, L);
    store(earlier.greatest + j, now);
  }
}
template <bool Last, bool Fast = false, class R>
VEC_FN void join_row(const R* rt, f32* sums, f32* total, const f32* greatest, const EarlierSums& earlier, i64 count) {
  const V<f32> scale = power<Fast>(rt, set1<f32>(*earlier.greatest) - shift_of(set1<f32>(*greatest)));
  join_sums<Last>(total, earlier.total, scale, 1);
  for (i64 i = 0; i < count; i += L)
    join_sums<Last>(sums + i, earlier.sums + i, scale, count - i < L ? int(count - i) : L);
  *earlier.greatest = *greatest;
}

}  // namespace VEC_ISA
}  // namespace vec
