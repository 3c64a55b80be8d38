// The vocabulary of emitted kernels: element types, the vector type V<T>, attributes.
//
// An ISA header (vec/<isa>/vec.h) defines VEC_ISA, includes this file, and then supplies
//   L                       lanes of every vector: the number of f32 lanes of the ISA
//   Part<T>                 the hardware type that holds a vector of T, or half of one when wide<T>
//   Calc<T>                 the unsigned type in which integer arithmetic on a Part<T> wraps without undefined
//   behaviour M                       mask of L lanes, one type for all element types
// and the primitives listed in vec/generic/ops.h. Everything lives in an inline namespace per ISA, has internal
// linkage and is always inlined, so translation units of different ISAs can be linked together.
#pragma once

#define VEC_FN static inline __attribute__((always_inline))
#define VEC_MEMBER inline __attribute__((always_inline))

extern "C" {
void* memcpy(void*, const void*, unsigned long) noexcept;
void* memmove(void*, const void*, unsigned long) noexcept;
void* memset(void*, int, unsigned long) noexcept;
}

namespace vec {
inline namespace VEC_ISA {

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef float f32;
typedef double f64;

// Storage types without arithmetic: f16, bf16 and the float8 formats are computed as f32, b8 (one byte, 0 or 1) as a
// mask.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
struct b8 {
  u8 value;
};
// Is like Float8Format of runtime/base/float8.h, with the greatest number and the code of larger values.
template <int FractionBits, int Bias, bool Infinities, bool NegativeZero>
struct float8 {
  u8 bits;
  static constexpr int fraction_bits = FractionBits, bias = Bias;
  static constexpr bool infinities = Infinities, negative_zero = NegativeZero;
  static constexpr u32 overflow = Infinities ? 0x7c : NegativeZero ? 0x7f : 0x80;
  static constexpr u32 greatest = Infinities ? 0x7b : NegativeZero ? 0x7e : 0x7f;
};
typedef float8<3, 7, false, true> f8e4m3fn;
typedef float8<3, 8, false, false> f8e4m3fnuz;
typedef float8<2, 15, true, true> f8e5m2;
typedef float8<2, 16, false, false> f8e5m2fnuz;

template <class T>
constexpr bool is_float8 = false;
template <int F, int B, bool I, bool Z>
constexpr bool is_float8<float8<F, B, I, Z>> = true;

template <int Bytes>
struct UintOf;
template <>
struct UintOf<1> {
  typedef u8 U;
  typedef i8 S;
};
template <>
struct UintOf<2> {
  typedef u16 U;
  typedef i16 S;
};
template <>
struct UintOf<4> {
  typedef u32 U;
  typedef i32 S;
};
template <>
struct UintOf<8> {
  typedef u64 U;
  typedef i64 S;
};
// The unsigned and signed integer of the size of T.
template <class T>
using Unsigned = typename UintOf<sizeof(T)>::U;
template <class T>
using Signed = typename UintOf<sizeof(T)>::S;

template <class T>
constexpr bool is_float = __is_same(T, f32) || __is_same(T, f64);
template <class T>
constexpr bool is_signed = T(-1) < T(0);

template <bool First, class A, class B>
struct ChooseType {
  typedef A type;
};
template <class A, class B>
struct ChooseType<false, A, B> {
  typedef B type;
};

// Predicates of compare<P>, in the encoding of the AVX-512 integer comparisons.
constexpr int kEq = 0, kLt = 1, kLe = 2, kNe = 4, kGe = 5, kGt = 6;
// Modes of round_to_integral, in the encoding of roundps, without the inexact flag.
constexpr int kRoundEven = 8, kRoundDown = 9, kRoundUp = 10, kRoundToZero = 11;

// Limits of an integer type.
template <class T>
constexpr T int_max = is_signed<T> ? T(Unsigned<T>(~Unsigned<T>(0)) >> 1) : T(~T(0));
template <class T>
constexpr T int_min = is_signed<T> ? T(Unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);

// Reinterprets the bits of a value of the same size.
template <class To, class From>
VEC_FN To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

}  // namespace VEC_ISA
}  // namespace vec
