// The operations for which baseline x86-64 has an instruction.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN V<f32> sqrt(V<f32> a) {
  typedef float F4 __attribute__((vector_size(16)));
  const F4 x = {a.v, 0, 0, 0};
  return {__builtin_ia32_sqrtss(x)[0]};
}
VEC_FN V<f64> sqrt(V<f64> a) {
  typedef double D2 __attribute__((vector_size(16)));
  const D2 x = {a.v, 0};
  return {__builtin_ia32_sqrtsd(x)[0]};
}

// Rounds to nearest even; the least integer where there is none.
VEC_FN V<i32> nearest(V<f32> x) {
  typedef float F4 __attribute__((vector_size(16)));
  return {__builtin_ia32_cvtss2si(F4{x.v, 0, 0, 0})};
}

}  // namespace VEC_ISA
}  // namespace vec
