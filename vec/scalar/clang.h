// Defines for clang the builtins of g++ that the headers of scalar code use, by the intrinsics that all compilers have:
// newer versions of clang lack the builtins.
#pragma once

#define __MM_MALLOC_H  // as avx2/clang.h explains
#include <emmintrin.h>

#define __builtin_ia32_sqrtss(a) _mm_sqrt_ss(a)
#define __builtin_ia32_sqrtsd(a) _mm_sqrt_sd(a, a)
