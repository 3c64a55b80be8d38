#pragma once

// Everything that differs between architectures, for the one that is compiled for: CpuFeature and its detection, the
// control word of floating-point arithmetic, spinning, non-temporal stores, the permission to use matrix tiles, the
// number of its ELF files. Another architecture requires another pair of
// files.
#if defined(__x86_64__)
#include "isa/arch/x86_64.h"
#else
#error "isa/arch does not support this architecture"
#endif
