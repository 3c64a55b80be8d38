// Defines for clang the builtins of g++ that the headers of AVX2 use, by the intrinsics that all compilers have. g++
// has its own and never reads this, because <immintrin.h> takes longer to parse than a kernel does to compile.
#pragma once

// <immintrin.h> includes <mm_malloc.h> unless this is defined, and that includes headers of the C library. Kernels need
// none of them, and machines with clang alone, such as that of the package ziglang, do not have them.
#define __MM_MALLOC_H
#include <immintrin.h>

#include "../generic/clang.h"

#define __builtin_ia32_pshufb256(a, order) _mm256_shuffle_epi8((__m256i)(a), (__m256i)(order))
#define __builtin_ia32_pmovsxbw128(a) _mm_cvtepi8_epi16((__m128i)(a))
#define __builtin_ia32_pmovzxbw128(a) _mm_cvtepu8_epi16((__m128i)(a))
#define __builtin_ia32_pmovsxbd256(a) _mm256_cvtepi8_epi32((__m128i)(a))
#define __builtin_ia32_pmovzxbd256(a) _mm256_cvtepu8_epi32((__m128i)(a))
#define __builtin_ia32_pmovsxwd256(a) _mm256_cvtepi16_epi32((__m128i)(a))
#define __builtin_ia32_pmovzxwd256(a) _mm256_cvtepu16_epi32((__m128i)(a))
#define __builtin_ia32_pminud256(a, b) _mm256_min_epu32((__m256i)(a), (__m256i)(b))
#define __builtin_ia32_movmskps256(a) _mm256_movemask_ps(a)

#define __builtin_ia32_minps256(a, b) _mm256_min_ps(a, b)
#define __builtin_ia32_maxps256(a, b) _mm256_max_ps(a, b)
#define __builtin_ia32_minpd256(a, b) _mm256_min_pd(a, b)
#define __builtin_ia32_maxpd256(a, b) _mm256_max_pd(a, b)
#define __builtin_ia32_cmpps256(a, b, predicate) _mm256_cmp_ps(a, b, predicate)
#define __builtin_ia32_cmppd256(a, b, predicate) _mm256_cmp_pd(a, b, predicate)
#define __builtin_ia32_sqrtps256(a) _mm256_sqrt_ps(a)
#define __builtin_ia32_sqrtpd256(a) _mm256_sqrt_pd(a)
#define __builtin_ia32_vfmaddps256(a, b, c) _mm256_fmadd_ps(a, b, c)
#define __builtin_ia32_vfmaddpd256(a, b, c) _mm256_fmadd_pd(a, b, c)
#define __builtin_ia32_roundps256(a, mode) _mm256_round_ps(a, mode)
#define __builtin_ia32_roundpd256(a, mode) _mm256_round_pd(a, mode)
#define __builtin_ia32_permvarsf256(a, index) _mm256_permutevar8x32_ps(a, (__m256i)(index))
#define __builtin_ia32_blendvps256(a, b, mask) _mm256_blendv_ps(a, b, mask)
#define __builtin_ia32_cvtps2dq256(a) _mm256_cvtps_epi32(a)
#define __builtin_ia32_vcvtph2ps256(a) _mm256_cvtph_ps((__m128i)(a))
#define __builtin_ia32_vcvtps2ph256(a, mode) _mm256_cvtps_ph(a, mode)
#define __builtin_ia32_movntps256(p, a) _mm256_stream_ps(p, a)

#define __builtin_ia32_maskloadd256(p, mask) _mm256_maskload_epi32((const int*)(p), (__m256i)(mask))
#define __builtin_ia32_maskloadq256(p, mask) _mm256_maskload_epi64((const long long*)(p), (__m256i)(mask))
#define __builtin_ia32_maskstoreq256(p, mask, a) _mm256_maskstore_epi64((long long*)(p), (__m256i)(mask), (__m256i)(a))
#define __builtin_ia32_gatherdiv4di(old, base, index, mask, scale) \
  _mm256_mask_i64gather_epi64((__m256i)(old), base, (__m256i)(index), (__m256i)(mask), scale)
#define __builtin_ia32_gatherdiv4si256(old, base, index, mask, scale) \
  _mm256_mask_i64gather_epi32((__m128i)(old), base, (__m256i)(index), (__m128i)(mask), scale)
