// Taking floats apart and scaling them: see vec/generic/exponent.h for the contracts.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN V<f32> scale(V<f32> x, V<f32> n) {
  return {__builtin_ia32_scalefps512_mask(x.v, n.v, Floats{}, -1, kCurrentRounding)};
}

constexpr f32 kRoundedExponent = 0x1.8p23f + 254;
VEC_FN V<f32> scale_by(V<f32> x, V<f32> sum) { return scale(x, sum - set1<f32>(kRoundedExponent)); }

VEC_FN V<f32> scale_or_flush(V<f32> p, V<f32> sum, V<f32> x, V<f32> least) {
  constexpr int not_less = 5;  // true for NaN
  const u16 kept = u16(__builtin_ia32_cmpps512_mask(x.v, least.v, not_less, -1, kCurrentRounding));
  return {
      __builtin_ia32_scalefps512_mask(p.v, (sum - set1<f32>(kRoundedExponent)).v, Floats{}, kept, kCurrentRounding)};
}

// If x is not finite and positive, it holds exponent -inf for zeros, +inf for infinities, mantissa NaN for negative x.
struct Split {
  V<f32> mantissa, exponent;
};
VEC_FN Split split(V<f32> x) {
  constexpr int range_075_15 = 3, negative_is_nan = 2 << 2;
  const V<f32> m = {
      __builtin_ia32_getmantps512_mask(x.v, negative_is_nan | range_075_15, Floats{}, -1, kCurrentRounding)};
  const V<f32> e = {__builtin_ia32_getexpps512_mask(x.v, Floats{}, -1, kCurrentRounding)};
  const V<f32> below_one = {__builtin_ia32_getexpps512_mask(m.v, Floats{}, -1, kCurrentRounding)};  // -1 or 0
  return {m, e - below_one};
}

// `large` is right for every x: its exponent term or mantissa is infinite or NaN where the result is. `small` is below
// 1, or NaN from infinite terms that cancelled: then minps takes the 1, which changes nothing.
VEC_FN V<f32> log_result(V<f32>, V<f32> large, V<f32> small) { return large + min_raw(small, set1<f32>(1)); }

}  // namespace VEC_ISA
}  // namespace vec
