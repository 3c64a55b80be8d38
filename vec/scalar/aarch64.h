// The operations for which baseline 64-bit Arm has an instruction.
#pragma once

#define VEC_FLOAT_REGISTER "w"

namespace vec {
inline namespace VEC_ISA {

constexpr bool has_fma = false;  // the bits are those of the scalar code of other architectures, which rounds twice

VEC_FN V<f32> sqrt(V<f32> a) {
  f32 r;
  asm("fsqrt %s0, %s1" : "=w"(r) : "w"(a.v));
  return {r};
}
VEC_FN V<f64> sqrt(V<f64> a) {
  f64 r;
  asm("fsqrt %d0, %d1" : "=w"(r) : "w"(a.v));
  return {r};
}

VEC_FN V<f32> fma(V<f32> a, V<f32> b, V<f32> c) { return {__builtin_fmaf(a.v, b.v, c.v)}; }
VEC_FN V<f64> fma(V<f64> a, V<f64> b, V<f64> c) { return {__builtin_fma(a.v, b.v, c.v)}; }

// Rounds to nearest even; the least integer where there is none. The instruction alone gives 0 for a NaN, and the
// greatest integer for larger numbers.
VEC_FN V<i32> nearest(V<f32> x) {
  if (!(x.v < 0x1p31f)) return {-0x7fffffff - 1};
  i32 r;
  asm("fcvtns %w0, %s1" : "=r"(r) : "w"(x.v));
  return {r};
}

}  // namespace VEC_ISA
}  // namespace vec
