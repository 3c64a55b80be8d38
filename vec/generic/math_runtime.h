// Math with the runtime as first argument, so that emitted text is the same for f32 and f64: f32 ignores it, f64 calls
// the runtime's double precision functions lane by lane. The runtime's struct (runtime/abi/abi.h) is a template
// argument because nothing is included here.
#pragma once

namespace vec {
inline namespace VEC_ISA {

// Positions in cppgen_runtime::unary_f64: the order of runtime/abi/math_functions.def.
enum MathFunction {
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf
};

VEC_FN V<f64> call_lanes(f64 (*function)(f64), V<f64> x) {
  f64 lanes[L];
  store(lanes, x);
#pragma GCC unroll 1
  for (int i = 0; i < L; i++) lanes[i] = function(lanes[i]);
  return load(lanes);
}

#define VEC_RUNTIME_MATH(name, index)               \
  template <class Runtime>                          \
  VEC_FN F32 name(const Runtime*, F32 x) {          \
    return name(x);                                 \
  }                                                 \
  template <class Runtime>                          \
  VEC_FN V<f64> name(const Runtime* rt, V<f64> x) { \
    return call_lanes(rt->unary_f64[index], x);     \
  }
VEC_RUNTIME_MATH(exp, kExp)
VEC_RUNTIME_MATH(expm1, kExpm1)
VEC_RUNTIME_MATH(log, kLog)
VEC_RUNTIME_MATH(log1p, kLog1p)
VEC_RUNTIME_MATH(log2, kLog2)
VEC_RUNTIME_MATH(sin, kSin)
VEC_RUNTIME_MATH(cos, kCos)
VEC_RUNTIME_MATH(tan, kTan)
VEC_RUNTIME_MATH(asin, kAsin)
VEC_RUNTIME_MATH(acos, kAcos)
VEC_RUNTIME_MATH(atan, kAtan)
VEC_RUNTIME_MATH(sinh, kSinh)
VEC_RUNTIME_MATH(cosh, kCosh)
VEC_RUNTIME_MATH(tanh, kTanh)
VEC_RUNTIME_MATH(asinh, kAsinh)
VEC_RUNTIME_MATH(acosh, kAcosh)
VEC_RUNTIME_MATH(atanh, kAtanh)
VEC_RUNTIME_MATH(erf, kErf)
#undef VEC_RUNTIME_MATH

template <class Runtime>
VEC_FN F32 exp_flushed(const Runtime*, F32 x) {
  return exp_flushed(x);
}
template <class Runtime>
VEC_FN V<f64> exp_flushed(const Runtime* rt, V<f64> x) {
  const V<f64> z = zero<f64>(), least = set1<f64>(f64(kLeastExponentOfNormal));
  return select(lt(x, least), z, exp(rt, select(gt(x, z), z, x)));
}

template <class Runtime>
VEC_FN F32 sigmoid(const Runtime*, F32 x) {
  return sigmoid(x);
}
template <class Runtime>
VEC_FN V<f64> sigmoid(const Runtime* rt, V<f64> x) {
  const V<f64> one = set1<f64>(1), e = exp(rt, -abs(x));
  return div(select(lt(x, zero<f64>()), e, one), one + e);
}

template <class Runtime>
VEC_FN F32 pow(const Runtime*, F32 x, F32 y) {
  return pow(x, y);
}
template <class Runtime>
VEC_FN V<f64> pow(const Runtime* rt, V<f64> x, V<f64> y) {
  f64 a[L], b[L];
  store(a, x);
  store(b, y);
#pragma GCC unroll 1
  for (int i = 0; i < L; i++) a[i] = rt->pow_f64(a[i], b[i]);
  return load(a);
}

template <class T>
VEC_FN T power_lane(T base, T exponent) {
  typedef Unsigned<T> U;
  if constexpr (is_signed<T>)
    if (exponent < 0) return base == 1 ? T(1) : base == -1 ? T(exponent % 2 ? -1 : 1) : T(0);
  U result = 1, factor = U(base);
  for (U e = U(exponent); e; e >>= 1, factor = U(1u * factor * factor))
    if (e & 1) result = U(1u * result * factor);
  return T(result);
}

// Integers: wraps; a negative exponent gives the power truncated toward zero, 0 for base 0.
template <class Runtime, class T>
VEC_FN V<T> pow(const Runtime*, V<T> x, V<T> y) {
  static_assert(!is_float<T>);
  T a[L], b[L];
  store(a, x);
  store(b, y);
#pragma GCC unroll 1
  for (int i = 0; i < L; i++) a[i] = power_lane(a[i], b[i]);
  return load(a);
}

}  // namespace VEC_ISA
}  // namespace vec
