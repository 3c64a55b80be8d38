#include "isa/cpu_features.h"

#include <cpuid.h>

#include <array>
#include <string_view>

namespace cppgen {
namespace {

// Bits of XCR0: the register state that the operating system saves and restores.
constexpr uint64_t kAvxState = 0x6;       // XMM, YMM
constexpr uint64_t kAvx512State = 0xe6;   // and opmask, upper ZMM, ZMM16-31
constexpr uint64_t kTileState = 0x60000;  // TILECFG, TILEDATA
constexpr uint32_t kOsxsave = 1u << 27;   // of leaf 1 ECX

struct FeatureRow {
  CpuFeature feature;
  std::string_view name;
  uint32_t CpuidRegisters::*reg;
  int bit;
  uint64_t state;
};

constexpr std::array<FeatureRow, kCpuFeatureCount> kRows{{
    {CpuFeature::avx, "avx", &CpuidRegisters::leaf1_ecx, 28, kAvxState},
    {CpuFeature::avx2, "avx2", &CpuidRegisters::leaf7_ebx, 5, kAvxState},
    {CpuFeature::fma, "fma", &CpuidRegisters::leaf1_ecx, 12, kAvxState},
    {CpuFeature::f16c, "f16c", &CpuidRegisters::leaf1_ecx, 29, kAvxState},
    {CpuFeature::avx512f, "avx512f", &CpuidRegisters::leaf7_ebx, 16, kAvx512State},
    {CpuFeature::avx512bw, "avx512bw", &CpuidRegisters::leaf7_ebx, 30, kAvx512State},
    {CpuFeature::avx512dq, "avx512dq", &CpuidRegisters::leaf7_ebx, 17, kAvx512State},
    {CpuFeature::avx512vl, "avx512vl", &CpuidRegisters::leaf7_ebx, 31, kAvx512State},
    {CpuFeature::avx512_vnni, "avx512_vnni", &CpuidRegisters::leaf7_ecx, 11, kAvx512State},
    {CpuFeature::avx512_bf16, "avx512_bf16", &CpuidRegisters::leaf7_1_eax, 5, kAvx512State},
    {CpuFeature::amx_tile, "amx_tile", &CpuidRegisters::leaf7_edx, 24, kTileState},
    {CpuFeature::amx_int8, "amx_int8", &CpuidRegisters::leaf7_edx, 25, kTileState},
    {CpuFeature::amx_bf16, "amx_bf16", &CpuidRegisters::leaf7_edx, 22, kTileState},
}};

// Only valid when CPUID reports OSXSAVE: the instruction faults otherwise.
uint64_t read_xcr0() {
  uint32_t eax = 0, edx = 0;
  asm volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return uint64_t(edx) << 32 | eax;
}

}  // namespace

std::string to_string(CpuFeatures features) {
  std::string text;
  for (const FeatureRow& row : kRows) {
    if (!features.has(row.feature)) continue;
    if (!text.empty()) text += ' ';
    text += row.name;
  }
  return text.empty() ? "none" : text;
}

CpuidRegisters read_cpuid() {
  CpuidRegisters r;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return r;
  r.leaf1_ecx = ecx;
  if (ecx & kOsxsave) r.xcr0 = read_xcr0();
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return r;
  r.leaf7_ebx = ebx;
  r.leaf7_ecx = ecx;
  r.leaf7_edx = edx;
  const uint32_t last_subleaf = eax;
  if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) r.leaf7_1_eax = eax;
  return r;
}

CpuFeatures decode_features(const CpuidRegisters& registers) {
  CpuFeatures features;
  for (const FeatureRow& row : kRows)
    if ((registers.*row.reg >> row.bit & 1) && (registers.xcr0 & row.state) == row.state)
      features.bits |= 1u << int(row.feature);
  return features;
}

CpuFeatures detect_cpu_features() { return decode_features(read_cpuid()); }

std::string cpu_vendor() {
  uint32_t most = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(0, &most, &ebx, &ecx, &edx)) return {};
  std::string name;
  for (uint32_t reg : {ebx, edx, ecx})
    for (int shift = 0; shift < 32; shift += 8) name += char(reg >> shift & 0xff);
  return name;
}

double bf16_dot_speed(std::string_view vendor) { return vendor == "AuthenticAMD" ? 2 : 0.5; }

}  // namespace cppgen
