// Arithmetic that has an instruction of its own, on one register.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN Floats min_part(Floats a, Floats b) { return __builtin_ia32_minps256(a, b); }
VEC_FN Floats max_part(Floats a, Floats b) { return __builtin_ia32_maxps256(a, b); }
VEC_FN Doubles min_part(Doubles a, Doubles b) { return __builtin_ia32_minpd256(a, b); }
VEC_FN Doubles max_part(Doubles a, Doubles b) { return __builtin_ia32_maxpd256(a, b); }
// Both orders agree except for zeros: there the intersection of the bits is right.
VEC_FN Floats max_of_numbers_part(Floats a, Floats b) { return (Floats)((Ints)max_part(a, b) & (Ints)max_part(b, a)); }
VEC_FN Doubles max_of_numbers_part(Doubles a, Doubles b) {
  return (Doubles)((Longs)max_part(a, b) & (Longs)max_part(b, a));
}
VEC_FN Floats sqrt_part(Floats a) { return __builtin_ia32_sqrtps256(a); }
VEC_FN Doubles sqrt_part(Doubles a) { return __builtin_ia32_sqrtpd256(a); }
VEC_FN Floats fma_part(Floats a, Floats b, Floats c) { return __builtin_ia32_vfmaddps256(a, b, c); }
VEC_FN Doubles fma_part(Doubles a, Doubles b, Doubles c) { return __builtin_ia32_vfmaddpd256(a, b, c); }
template <int Mode>
VEC_FN Floats round_part(Floats a) {
  return __builtin_ia32_roundps256(a, Mode);
}
template <int Mode>
VEC_FN Doubles round_part(Doubles a) {
  return __builtin_ia32_roundpd256(a, Mode);
}

VEC_FN V<f32> look_up(const f32 (&table)[8], V<u32> index) {
  return {__builtin_ia32_permvarsf256(*(const Floats*)table, (Part<i32>)index.v)};
}

// Rounds to nearest even; the least integer where there is none.
VEC_FN V<i32> nearest(V<f32> x) { return {(Part<i32>)__builtin_ia32_cvtps2dq256(x.v)}; }

typedef short Words __attribute__((vector_size(16)));
VEC_FN V<f32> half_to_float(V<u16> h) { return {__builtin_ia32_vcvtph2ps256((Words)h.v)}; }
VEC_FN V<u16> float_to_half(V<f32> x) { return {(Part<u16>)__builtin_ia32_vcvtps2ph256(x.v, 0)}; }

VEC_FN void nt_store(f32* p, V<f32> x) { __builtin_ia32_movntps256(p, x.v); }

}  // namespace VEC_ISA
}  // namespace vec
