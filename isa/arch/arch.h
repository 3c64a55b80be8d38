#pragma once

// What differs between architectures, of the one that this is compiled for: CpuFeature and its detection, the control
// word of floating-point arithmetic, the number of its ELF files. Another architecture is another pair of files.
#if defined(__x86_64__)
#include "isa/arch/x86_64.h"
#else
#error "isa/arch has nothing for this architecture"
#endif
