// The features of the CPU. This source needs no library of C++, so that models that are linked into programs contain
// it.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "isa/cpu_features.h"

namespace cppgen {
namespace {

// Bits of XCR0: the register state that the operating system saves and restores.
constexpr uint64_t kAvxState = 0x6;       // XMM, YMM
constexpr uint64_t kAvx512State = 0xe6;   // and opmask, upper ZMM, ZMM16-31
constexpr uint64_t kTileState = 0x60000;  // TILECFG, TILEDATA
constexpr uint32_t kOsxsave = 1u << 27;   // of leaf 1 ECX

struct FeatureRow {
  CpuFeature feature;
  uint32_t CpuidRegisters::*reg;
  int bit;
  uint64_t state;
};

constexpr FeatureRow kRows[] = {
#define CPPGEN_CPU_FEATURE(name, reg, bit, state) {CpuFeature::name, &CpuidRegisters::reg, bit, state},
#include "isa/arch/x86_64/features.def"
};

// This is valid only if CPUID reports OSXSAVE: the instruction faults otherwise.
uint64_t read_xcr0() {
  uint32_t eax = 0, edx = 0;
  asm volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return uint64_t(edx) << 32 | eax;
}

}  // namespace

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

CpuFeatures read_cpu_features() { return decode_features(read_cpuid()); }

// Linux: Documentation/arch/x86/xstate.rst.
int arch::permit_matrix_tiles() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0 ? 0 : errno;
}

}  // namespace cppgen
