// ONNX's floats of 8 bits and the float32 that they are computed in: the same bits as runtime/base/float8.h.
#pragma once

namespace vec {
inline namespace VEC_ISA {

VEC_FN V<u32> word(u32 x) { return set1<u32>(x); }

template <class T>
VEC_FN V<f32> float8_to_float(V<u8> codes) {
  constexpr int fraction = T::fraction_bits;
  const V<u32> code = convert<u32>(codes), magnitude = bit_and(code, word(0x7f));
  const f32 unit = bit_cast<f32>(u32(128 - T::bias - fraction) << 23);
  const V<f32> tiny = convert<f32>(bits_as<i32>(magnitude)) * set1<f32>(unit);
  const V<u32> normal = shift_left(magnitude, word(23 - fraction)) + word(u32(127 - T::bias) << 23);
  V<u32> bits = select(lt(magnitude, word(1 << fraction)), bits_as<u32>(tiny), normal);
  if constexpr (T::infinities) bits = select(eq(magnitude, word(T::overflow)), word(0x7f800000), bits);
  if constexpr (T::negative_zero)
    bits = select(gt(magnitude, word(T::infinities ? T::overflow : T::greatest)), word(0x7fc00000), bits);
  bits = bit_or(bits, shift_left(bit_and(code, word(0x80)), word(24)));
  if constexpr (!T::negative_zero) bits = select(eq(code, word(0x80)), word(0x7fc00000), bits);
  return bits_as<f32>(bits);
}

template <class T>
VEC_FN V<u8> float_to_float8(V<f32> x) {
  constexpr int shift = 23 - T::fraction_bits;
  // Adding it rounds to multiples of the least number, its last place.
  constexpr u32 shifter = u32(128 - T::bias + shift) << 23;
  const V<u32> bits = bits_as<u32>(x), magnitude = bit_and(bits, word(0x7fffffff));
  const V<f32> tiny = bits_as<f32>(magnitude) + set1<f32>(bit_cast<f32>(shifter));
  const V<u32> odd = bit_and(shift_right(magnitude, word(shift)), word(1));
  const V<u32> normal = shift_right(magnitude + word((1u << (shift - 1)) - 1) + odd, word(shift)) -
                        word(u32(127 - T::bias) << T::fraction_bits);
  V<u32> code = select(lt(magnitude, word(u32(128 - T::bias) << 23)), bits_as<u32>(tiny) - word(shifter), normal);
  code = select(gt(code, word(T::greatest)), word(T::overflow), code);
  if constexpr (T::infinities) code = select(gt(magnitude, word(0x7f800000)), word(0x7f), code);
  V<u32> sign = bit_and(shift_right(bits, word(24)), word(0x80));
  if constexpr (!T::negative_zero) sign = select(eq(code, word(0)), word(0), sign);  // of its NaN the sign is set
  return convert<u8>(bit_or(code, sign));
}

}  // namespace VEC_ISA
}  // namespace vec
