// Taking floats apart and scaling them, with integer operations; AVX-512 has instructions that give the same bits.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN V<f32> power_of_two(V<i32> n) {
  return bits_as<f32>(shift_left(bits_as<u32>(n + set1<i32>(127)), set1<u32>(23)));
}

// x * 2^n for integral n in [-252, 254], rounded once if x is a normal number with |x * 2^(n/2)| normal too.
VEC_FN V<f32> scale(V<f32> x, V<f32> n) {
  const V<i32> i = convert<i32>(n), half = shift_right(i, set1<u32>(1));
  return x * power_of_two(half) * power_of_two(i - half);
}

// Added to a small float, rounds it to an integer n, so that the lowest bits of the sum are n + 254.
constexpr f32 kRoundedExponent = 0x1.8p23f + 254;

// Scales like scale(), from the sum n + kRoundedExponent: both factors are bits of it.
VEC_FN V<f32> scale_by(V<f32> x, V<f32> sum) {
  const V<u32> bits = bits_as<u32>(sum), half = shift_left(shift_right(bits, set1<u32>(1)), set1<u32>(23));
  return x * bits_as<f32>(half) * bits_as<f32>(shift_left(bits, set1<u32>(23)) - half);
}

// p * 2^n from the sum n + kRoundedExponent, where that is a normal number of a p near 1; 0 where x < least.
VEC_FN V<f32> scale_or_flush(V<f32> p, V<f32> sum, V<f32> x, V<f32> least) {
  constexpr u32 bias = u32(127 - 254) << 23;
  const V<u32> power = shift_left(bits_as<u32>(sum), set1<u32>(23)) + set1<u32>(bias);
  return select(lt(x, least), zero<f32>(), p * bits_as<f32>(power));
}

// x = mantissa * 2^exponent with mantissa in [0.75, 1.5), for finite x > 0. Other x: see log_result.
struct Split {
  V<f32> mantissa, exponent;
};
VEC_FN Split split(V<f32> x) {
  const M subnormal = lt(x, set1<f32>(0x1p-126f));
  const V<i32> bits = bits_as<i32>(select(subnormal, x * set1<f32>(0x1p23f), x));
  const V<i32> e = shift_right(bits - set1<i32>(0x3f400000), set1<u32>(23));
  const V<i32> m = bits - bits_as<i32>(shift_left(bits_as<u32>(e), set1<u32>(23)));
  return {bits_as<f32>(m), convert<f32>(e) - select(subnormal, set1<f32>(23), zero<f32>())};
}

// large + small, the logarithm of x computed from split(x); and where x is not finite and positive:
// -inf for zeros, NaN for negative x, x for +inf and NaN.
VEC_FN V<f32> log_result(V<f32> x, V<f32> large, V<f32> small) {
  const V<f32> z = zero<f32>(), infinity = set1<f32>(__builtin_inff());
  const V<f32> below = select(eq(x, z), -infinity, set1<f32>(__builtin_nanf("")));
  return select(m_and(gt(x, z), lt(x, infinity)), large + small, select(gt(x, z), x, below));
}

}  // namespace VEC_ISA
}  // namespace vec
