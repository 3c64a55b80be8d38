// f16 <-> f32 without F16C: the same bits as the instructions, NaN payloads included.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN V<f32> half_to_float(V<u16> h) {
  const u32 sign = u32(h.v & 0x8000) << 16, magnitude = h.v & 0x7fff;
  // 2^-24 * the integer is exact for subnormal halves.
  if (magnitude < 0x400) return {bit_cast<f32>(sign | bit_cast<u32>(f32(i32(magnitude)) * 0x1p-24f))};
  if (magnitude < 0x7c00) return {bit_cast<f32>(sign | ((magnitude << 13) + (112u << 23)))};
  const u32 quiet = magnitude > 0x7c00 ? 0x400000 : 0;
  return {bit_cast<f32>(sign | 0x7f800000 | magnitude << 13 | quiet)};
}

VEC_FN V<u16> float_to_half(V<f32> x) {
  const u32 u = bit_cast<u32>(x.v), sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffff;
  if (magnitude > 0x7f800000) return {u16(sign | 0x7e00 | (magnitude >> 13 & 0x1ff))};
  if (magnitude >= 0x477ff000) return {u16(sign | 0x7c00)};  // rounds to 2^16 or more
  if (magnitude >= 0x38800000) {                             // normal half: drop 13 bits, to nearest even
    const u32 rebased = magnitude - (112u << 23);
    return {u16(sign | (rebased + 0xfff + (rebased >> 13 & 1)) >> 13)};
  }
  // Adding 0.5 leaves a unit in the last place of 2^-24: the hardware rounds to the subnormal half.
  const f32 shifted = bit_cast<f32>(magnitude) + 0.5f;
  return {u16(sign | (bit_cast<u32>(shifted) - 0x3f000000))};
}

}  // namespace VEC_ISA
}  // namespace vec
