#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "isa/arch/arch.h"

namespace cppgen {

// A set of features; a plain value, so that tests can invent a CPU.
struct CpuFeatures {
  uint32_t bits = 0;

  constexpr CpuFeatures() = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) {
    for (CpuFeature f : features) bits |= 1u << int(f);
  }
  static constexpr CpuFeatures of_bits(uint32_t bits) {
    CpuFeatures r;
    r.bits = bits;
    return r;
  }
  constexpr bool has(CpuFeature f) const { return bits >> int(f) & 1; }
  constexpr bool has_any(uint32_t of_bits) const { return (bits & of_bits) != 0; }
  constexpr bool has_all(CpuFeatures other) const { return (bits & other.bits) == other.bits; }
  constexpr CpuFeatures with(CpuFeatures other) const {
    CpuFeatures r;
    r.bits = bits | other.bits;
    return r;
  }
  constexpr CpuFeatures without(CpuFeatures other) const {
    CpuFeatures r;
    r.bits = bits & ~other.bits;
    return r;
  }
  constexpr bool operator==(const CpuFeatures&) const = default;
};

// "avx2 fma f16c", in declaration order; "none" for the empty set.
std::string to_string(CpuFeatures);

// The features of the CPU that this process runs on: the first asks the CPU each time, the second one once.
CpuFeatures read_cpu_features();
CpuFeatures detect_cpu_features();

// "AuthenticAMD", "GenuineIntel" ...; empty if the CPU does not report it.
std::string cpu_vendor();

// The throughput of products of bfloat16 pairs (vdpbf16ps) relative to products of float32 by fused multiply-add, on
// CPUs of this vendor that have both. AMD's CPUs issue both instructions at the same rate, the former with twice the
// products; Intel's issue the former at a quarter of the rate.
// 0 where no CPU has both.
double bf16_dot_speed(std::string_view vendor);

}  // namespace cppgen
