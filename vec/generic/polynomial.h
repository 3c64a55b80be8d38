// Polynomials in Horner form: horner(x, c0, c1, c2) = c0 + x*(c1 + x*c2), one fma a step.
#pragma once

// The constraint of assembly for a vector register; that of x86-64, unless the architecture has another one.
#ifndef VEC_FLOAT_REGISTER
#define VEC_FLOAT_REGISTER "v"
#endif

namespace vec {
inline namespace VEC_ISA {

typedef V<f32> F32;

// x, as a value that the compiler knows nothing about: keeps compensated sums whole where reassociation is allowed
// (-funsafe-math-optimizations on request of the user).
VEC_FN F32 opaque(F32 x) {
  asm("" : "+" VEC_FLOAT_REGISTER(x.v));
  return x;
}

VEC_FN F32 splat32(f32 x) { return set1<f32>(x); }

VEC_FN F32 horner(F32, f32 c) { return splat32(c); }
template <class... Rest>
VEC_FN F32 horner(F32 x, f32 c, Rest... rest) {
  return fma(horner(x, rest...), x, splat32(c));
}

// Does the same for f64, multiply and add rounded apart: the bits do not depend on whether the ISA has FMA.
VEC_FN V<f64> horner(V<f64>, f64 c) { return set1<f64>(c); }
template <class... Rest>
VEC_FN V<f64> horner(V<f64> x, f64 c, Rest... rest) {
  return horner(x, rest...) * x + set1<f64>(c);
}

}  // namespace VEC_ISA
}  // namespace vec
