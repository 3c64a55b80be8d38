// Defines for clang the builtins of g++ that the headers of AVX-512 use, by the intrinsics that all compilers have.
// Arguments that are the same at every use (all lanes, the current rounding) are left out.
#pragma once
#define __MM_MALLOC_H  // as avx2/clang.h explains
#include <immintrin.h>

#include "../generic/clang.h"

#define __builtin_ia32_pmovwb256_mask(a, old, mask) _mm256_cvtepi16_epi8((__m256i)(a))
#define __builtin_ia32_pmovdw512_mask(a, old, mask) _mm512_cvtepi32_epi16((__m512i)(a))
#define __builtin_ia32_pmovdb512_mask(a, old, mask) _mm512_cvtepi32_epi8((__m512i)(a))
#define __builtin_ia32_pmovusdb512_mask(a, old, mask) _mm512_cvtusepi32_epi8((__m512i)(a))
#define __builtin_ia32_pmovsxbw256(a) _mm256_cvtepi8_epi16((__m128i)(a))
#define __builtin_ia32_pmovzxbw256(a) _mm256_cvtepu8_epi16((__m128i)(a))
#define __builtin_ia32_pmovsxbd512_mask(a, old, mask) _mm512_cvtepi8_epi32((__m128i)(a))
#define __builtin_ia32_pmovzxbd512_mask(a, old, mask) _mm512_cvtepu8_epi32((__m128i)(a))
#define __builtin_ia32_pmovsxwd512_mask(a, old, mask) _mm512_cvtepi16_epi32((__m256i)(a))
#define __builtin_ia32_pmovzxwd512_mask(a, old, mask) _mm512_cvtepu16_epi32((__m256i)(a))

#define __builtin_ia32_blendmps_512_mask(a, b, mask) _mm512_mask_blend_ps(mask, a, b)
#define __builtin_ia32_blendmpd_512_mask(a, b, mask) _mm512_mask_blend_pd(mask, a, b)
#define __builtin_ia32_blendmq_512_mask(a, b, mask) _mm512_mask_blend_epi64(mask, (__m512i)(a), (__m512i)(b))
#define __builtin_ia32_blendmd_512_mask(a, b, mask) _mm512_mask_blend_epi32(mask, (__m512i)(a), (__m512i)(b))
#define __builtin_ia32_blendmw_256_mask(a, b, mask) _mm256_mask_blend_epi16(mask, (__m256i)(a), (__m256i)(b))
#define __builtin_ia32_blendmb_128_mask(a, b, mask) _mm_mask_blend_epi8(mask, (__m128i)(a), (__m128i)(b))

#define __builtin_ia32_cmpps512_mask(a, b, p, mask, rounding) _mm512_cmp_ps_mask(a, b, p)
#define __builtin_ia32_cmppd512_mask(a, b, p, mask, rounding) _mm512_cmp_pd_mask(a, b, p)
#define __builtin_ia32_cmpq512_mask(a, b, p, mask) _mm512_cmp_epi64_mask((__m512i)(a), (__m512i)(b), p)
#define __builtin_ia32_ucmpq512_mask(a, b, p, mask) _mm512_cmp_epu64_mask((__m512i)(a), (__m512i)(b), p)
#define __builtin_ia32_cmpd512_mask(a, b, p, mask) _mm512_cmp_epi32_mask((__m512i)(a), (__m512i)(b), p)
#define __builtin_ia32_ucmpd512_mask(a, b, p, mask) _mm512_cmp_epu32_mask((__m512i)(a), (__m512i)(b), p)
#define __builtin_ia32_cmpw256_mask(a, b, p, mask) _mm256_cmp_epi16_mask((__m256i)(a), (__m256i)(b), p)
#define __builtin_ia32_ucmpw256_mask(a, b, p, mask) _mm256_cmp_epu16_mask((__m256i)(a), (__m256i)(b), p)
#define __builtin_ia32_cmpb128_mask(a, b, p, mask) _mm_cmp_epi8_mask((__m128i)(a), (__m128i)(b), p)
#define __builtin_ia32_ucmpb128_mask(a, b, p, mask) _mm_cmp_epu8_mask((__m128i)(a), (__m128i)(b), p)

#define __builtin_ia32_minps512_mask(a, b, old, mask, rounding) _mm512_min_ps(a, b)
#define __builtin_ia32_maxps512_mask(a, b, old, mask, rounding) _mm512_max_ps(a, b)
#define __builtin_ia32_minpd512_mask(a, b, old, mask, rounding) _mm512_min_pd(a, b)
#define __builtin_ia32_maxpd512_mask(a, b, old, mask, rounding) _mm512_max_pd(a, b)
#define __builtin_ia32_rangeps512_mask(a, b, what, old, mask, rounding) _mm512_range_ps(a, b, what)
#define __builtin_ia32_rangepd512_mask(a, b, what, old, mask, rounding) _mm512_range_pd(a, b, what)
#define __builtin_ia32_sqrtps512_mask(a, old, mask, rounding) _mm512_sqrt_ps(a)
#define __builtin_ia32_sqrtpd512_mask(a, old, mask, rounding) _mm512_sqrt_pd(a)
#define __builtin_ia32_vfmaddps512_mask(a, b, c, mask, rounding) _mm512_fmadd_ps(a, b, c)
#define __builtin_ia32_vfmaddpd512_mask(a, b, c, mask, rounding) _mm512_fmadd_pd(a, b, c)
#define __builtin_ia32_rndscaleps_mask(a, mode, old, mask, rounding) _mm512_roundscale_ps(a, mode)
#define __builtin_ia32_rndscalepd_mask(a, mode, old, mask, rounding) _mm512_roundscale_pd(a, mode)
#define __builtin_ia32_permvarsf512_mask(a, index, old, mask) _mm512_permutexvar_ps((__m512i)(index), a)
#define __builtin_ia32_cvtps2dq512_mask(a, old, mask, rounding) _mm512_cvtps_epi32(a)
#define __builtin_ia32_vcvtph2ps512_mask(a, old, mask, rounding) _mm512_cvtph_ps((__m256i)(a))
#define __builtin_ia32_vcvtps2ph512_mask(a, mode, old, mask) _mm512_cvtps_ph(a, mode)
#define __builtin_ia32_movntps512(p, a) _mm512_stream_ps(p, a)

#define __builtin_ia32_loaddqudi512_mask(p, old, mask) _mm512_mask_loadu_epi64((__m512i)(old), mask, p)
#define __builtin_ia32_loaddqusi512_mask(p, old, mask) _mm512_mask_loadu_epi32((__m512i)(old), mask, p)
#define __builtin_ia32_loaddquhi256_mask(p, old, mask) _mm256_mask_loadu_epi16((__m256i)(old), mask, p)
#define __builtin_ia32_loaddquqi128_mask(p, old, mask) _mm_mask_loadu_epi8((__m128i)(old), mask, p)
#define __builtin_ia32_storedqudi512_mask(p, a, mask) _mm512_mask_storeu_epi64(p, mask, (__m512i)(a))
#define __builtin_ia32_storedqusi512_mask(p, a, mask) _mm512_mask_storeu_epi32(p, mask, (__m512i)(a))
#define __builtin_ia32_storedquhi256_mask(p, a, mask) _mm256_mask_storeu_epi16(p, mask, (__m256i)(a))
#define __builtin_ia32_storedquqi128_mask(p, a, mask) _mm_mask_storeu_epi8(p, mask, (__m128i)(a))
#define __builtin_ia32_gatherdiv8di(old, base, index, mask, scale) \
  _mm512_mask_i64gather_epi64((__m512i)(old), mask, (__m512i)(index), base, scale)
#define __builtin_ia32_gatherdiv16si(old, base, index, mask, scale) \
  _mm512_mask_i64gather_epi32((__m256i)(old), mask, (__m512i)(index), base, scale)

#define __builtin_ia32_scalefps512_mask(a, n, old, mask, rounding) _mm512_mask_scalef_ps(old, mask, a, n)
#define __builtin_ia32_getexpps512_mask(a, old, mask, rounding) _mm512_getexp_ps(a)
#define __builtin_ia32_getmantps512_mask(a, form, old, mask, rounding) \
  _mm512_getmant_ps(a, (_MM_MANTISSA_NORM_ENUM)((form)&3), (_MM_MANTISSA_SIGN_ENUM)((form) >> 2))
