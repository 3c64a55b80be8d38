// The features of the CPU. This source needs no library of C++, so that models that are linked into programs contain
// it.
#include <sys/auxv.h>

#include <cerrno>

#include "isa/cpu_features.h"

namespace cppgen {

CpuFeatures read_cpu_features() {
  const unsigned long hwcap = getauxval(AT_HWCAP);
  CpuFeatures features;
#define CPPGEN_CPU_FEATURE(name, bit) \
  if (hwcap >> bit & 1) features.bits |= 1u << int(CpuFeature::name);
#include "isa/arch/aarch64/features.def"
  return features;
}

int arch::permit_matrix_tiles() { return ENOSYS; }

}  // namespace cppgen
