// Defines which ISAs the tests run, the values they use, and how results are compared.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/isa/guarded_memory.h"
#include "tests/isa/vec_kernels.h"
#include "tests/isa/vec_reference.h"
#include "tests/isas_to_test.h"

namespace vec_test {

inline const VecKernels* kernels_of(std::string_view folder) {
#define CPPGEN_ISA(isa, ...) \
  if (folder == #isa) return &kKernels_##isa;
#include "runtime/base/isas.def"
  return nullptr;
}

// The kernels of every kind of instruction set that this CPU runs.
inline std::vector<const VecKernels*> runnable() {
  std::vector<const VecKernels*> list;
  for (const cppgen::VecISA* isa : isas_to_test()) list.push_back(kernels_of(isa->folder));
  return list;
}

// Calls f(T{}, TypeId) for the ten arithmetic types, or for all storage types.
template <class F>
void for_each_type(F f) {
  f(float{}, kF32), f(double{}, kF64), f(int8_t{}, kI8), f(int16_t{}, kI16), f(int32_t{}, kI32), f(int64_t{}, kI64);
  f(uint8_t{}, kU8), f(uint16_t{}, kU16), f(uint32_t{}, kU32), f(uint64_t{}, kU64);
}
template <class F>
void for_each_storage(F f) {
  for_each_type(f);
  f(ref::Half{}, kF16), f(ref::Bfloat{}, kBf16), f(ref::Bool{}, kB8);
  f(ref::Float8E4M3{}, kF8E4M3), f(ref::Float8E4M3Fnuz{}, kF8E4M3Fnuz);
  f(ref::Float8E5M2{}, kF8E5M2), f(ref::Float8E5M2Fnuz{}, kF8E5M2Fnuz);
}

template <class T>
T from_bits(uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
template <class T>
uint64_t to_bits(T x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

// The values at which arithmetic turns: limits, powers of two and neighbours, and for floats the special ones.
template <class T>
std::vector<T> special_values() {
  std::vector<T> v;
  if constexpr (std::is_same_v<T, ref::Bool>) return {{0}, {1}};
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    for (T x : {T(0),
                T(0.5),
                T(1),
                T(1.5),
                T(2),
                T(2.5),
                T(3),
                T(127.5),
                T(255),
                T(256),
                T(32768),
                T(65504),
                T(65520),
                T(0x1p23),
                T(0x1p24) + 1,
                T(0x1p31),
                T(0x1p32),
                T(0x1p52),
                T(0x1p53),
                T(0x1p63),
                T(0x1p64),
                T(1e20),
                T(0x1p-24),
                T(0x1p-25),
                Limits::epsilon(),
                Limits::min(),
                Limits::denorm_min(),
                Limits::max(),
                Limits::infinity(),
                std::nextafter(T(0x1p31), T(0)),
                std::nextafter(T(0x1p63), T(0)),
                std::nextafter(T(0.5), T(0)),
                Limits::min() / 2})
      v.push_back(x), v.push_back(-x);
    v.push_back(Limits::quiet_NaN());
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    for (unsigned i = 0; i < 8 * sizeof(T); i++)
      for (int d = -1; d <= 1; d++) v.push_back(T((U(1) << i) + U(d))), v.push_back(T(U(0) - (U(1) << i) + U(d)));
    for (int i = 2; i < 70; i += 3) v.push_back(T(i));
  } else if constexpr (sizeof(T) == 1) {  // float8
    for (unsigned b = 0; b < 256; b++) v.push_back(from_bits<T>(b));
  } else {  // f16, bf16
    for (unsigned b :
         {0x0000u, 0x0001u, 0x03ffu, 0x0400u, 0x3c00u, 0x3f80u, 0x7bffu, 0x7c00u, 0x7f7fu, 0x7f80u, 0x7fc0u})
      v.push_back(from_bits<T>(b)), v.push_back(from_bits<T>(b | 0x8000));
  }
  return v;
}

template <class T>
T random_value(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, ref::Bool>) return {uint8_t(random() & 1)};
  const uint64_t bits = random();
  // One in three is of moderate size: random bits of floats are mostly far apart in magnitude.
  if constexpr (std::is_arithmetic_v<T>)
    if (bits % 3 == 0) return T(int64_t(bits >> 32) % 200000 / (std::is_floating_point_v<T> ? T(64) : T(1)));
  return from_bits<T>(random());
}

// A multiple of 16 values: every pair (or triple) of special values appears when `repeat` spreads them, then random
// ones.
template <class T>
std::vector<T> operand_values(size_t period, size_t count, uint64_t seed) {
  const std::vector<T> special = special_values<T>();
  std::mt19937_64 random(seed);
  std::vector<T> v(count);
  const size_t patterned = std::min(count / 2, special.size() * special.size());
  for (size_t i = 0; i < count; i++)
    v[i] = i < patterned ? special[i / period % special.size()] : random_value<T>(random);
  return v;
}

// Equal bits; any NaN equals any other.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a && b != b) return true;
  } else if constexpr (!std::is_integral_v<T> && !std::is_same_v<T, ref::Bool>) {
    const double x = to_value(a), y = to_value(b);
    if (x != x && y != y) return true;
  }
  return to_bits(a) == to_bits(b);
}

template <class T>
std::string show(T x) {
  char text[64];
  if constexpr (std::is_floating_point_v<T>)
    std::snprintf(text, sizeof text, "%a", double(x));
  else
    std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)to_bits(x));
  return text;
}

}  // namespace vec_test
