#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace cppgen {

// What a CPU offers together with its operating system: a feature whose registers the system does not save is absent.
enum class CpuFeature : uint8_t {
  avx,
  avx2,
  fma,
  f16c,
  avx512f,
  avx512bw,
  avx512dq,
  avx512vl,
  avx512_vnni,
  avx512_bf16,
  amx_tile,
  amx_int8,
  amx_bf16,
};
inline constexpr int kCpuFeatureCount = 13;

// A set of features; a plain value, so that tests can make up a CPU.
struct CpuFeatures {
  uint32_t bits = 0;

  constexpr CpuFeatures() = default;
  constexpr CpuFeatures(std::initializer_list<CpuFeature> features) {
    for (CpuFeature f : features) bits |= 1u << int(f);
  }
  constexpr bool has(CpuFeature f) const { return bits >> int(f) & 1; }
  constexpr bool has_all(CpuFeatures other) const { return (bits & other.bits) == other.bits; }
  constexpr CpuFeatures without(CpuFeatures other) const {
    CpuFeatures r;
    r.bits = bits & ~other.bits;
    return r;
  }
  constexpr bool operator==(const CpuFeatures&) const = default;
};

// "avx2 fma f16c", in declaration order; "none" for the empty set.
std::string to_string(CpuFeatures);

// The registers that CPUID and XGETBV return, as far as they are decoded here (Intel SDM volume 2A, CPUID).
struct CpuidRegisters {
  uint32_t leaf1_ecx = 0, leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0, leaf7_1_eax = 0;
  uint64_t xcr0 = 0;  // 0 when the operating system does not use XSAVE
};
CpuidRegisters read_cpuid();

// AMX is reported when the operating system enables its state for the machine; a process still has to ask for
// permission before it uses tiles.
CpuFeatures decode_features(const CpuidRegisters&);

// The features of the CPU this runs on.
CpuFeatures detect_cpu_features();

// "AuthenticAMD", "GenuineIntel" ...; empty where CPUID does not say.
std::string cpu_vendor();

// Products of pairs of bfloat16 (vdpbf16ps) per time, products of float32 by fused multiply-add being 1, on CPUs of
// this vendor that have both. AMD's run both at the same rate of instructions, of twice the products; Intel's take the
// former at a quarter of the rate.
double bf16_dot_speed(std::string_view vendor);

}  // namespace cppgen
