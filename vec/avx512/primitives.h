// Arithmetic that has an instruction of its own, on one register.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN Floats min_part(Floats a, Floats b) {
  return __builtin_ia32_minps512_mask(a, b, Floats{}, -1, kCurrentRounding);
}
VEC_FN Floats max_part(Floats a, Floats b) {
  return __builtin_ia32_maxps512_mask(a, b, Floats{}, -1, kCurrentRounding);
}
VEC_FN Doubles min_part(Doubles a, Doubles b) {
  return __builtin_ia32_minpd512_mask(a, b, Doubles{}, -1, kCurrentRounding);
}
VEC_FN Doubles max_part(Doubles a, Doubles b) {
  return __builtin_ia32_maxpd512_mask(a, b, Doubles{}, -1, kCurrentRounding);
}
constexpr int kGreaterWithItsSign = 1 | 1 << 2;  // of vrangeps
VEC_FN Floats max_of_numbers_part(Floats a, Floats b) {
  return __builtin_ia32_rangeps512_mask(a, b, kGreaterWithItsSign, Floats{}, -1, kCurrentRounding);
}
VEC_FN Doubles max_of_numbers_part(Doubles a, Doubles b) {
  return __builtin_ia32_rangepd512_mask(a, b, kGreaterWithItsSign, Doubles{}, -1, kCurrentRounding);
}
VEC_FN Floats sqrt_part(Floats a) { return __builtin_ia32_sqrtps512_mask(a, Floats{}, -1, kCurrentRounding); }
VEC_FN Doubles sqrt_part(Doubles a) { return __builtin_ia32_sqrtpd512_mask(a, Doubles{}, -1, kCurrentRounding); }
VEC_FN Floats fma_part(Floats a, Floats b, Floats c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, kCurrentRounding);
}
VEC_FN Doubles fma_part(Doubles a, Doubles b, Doubles c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, kCurrentRounding);
}
template <int Mode>
VEC_FN Floats round_part(Floats a) {
  return __builtin_ia32_rndscaleps_mask(a, Mode, Floats{}, -1, kCurrentRounding);
}
template <int Mode>
VEC_FN Doubles round_part(Doubles a) {
  return __builtin_ia32_rndscalepd_mask(a, Mode, Doubles{}, -1, kCurrentRounding);
}

VEC_FN V<f32> look_up(const f32 (&table)[8], V<u32> index) {
  const auto half = *(const Half<f32>*)table;
  const Floats twice = __builtin_shufflevector(half, half, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
  return {__builtin_ia32_permvarsf512_mask(twice, (Ints)index.v, Floats{}, -1)};
}

// Rounds to nearest even; the least integer where there is none.
VEC_FN V<i32> nearest(V<f32> x) {
  return {(Part<i32>)__builtin_ia32_cvtps2dq512_mask(x.v, (Ints)Part<i32>{}, -1, kCurrentRounding)};
}

VEC_FN V<f32> half_to_float(V<u16> h) {
  return {__builtin_ia32_vcvtph2ps512_mask((Words)h.v, Floats{}, -1, kCurrentRounding)};
}
VEC_FN V<u16> float_to_half(V<f32> x) { return {(Part<u16>)__builtin_ia32_vcvtps2ph512_mask(x.v, 0, Words{}, -1)}; }

VEC_FN void nt_store(f32* p, V<f32> x) { __builtin_ia32_movntps512(p, x.v); }

}  // namespace VEC_ISA
}  // namespace vec
