// 8 lanes: AVX2 with FMA and F16C.
#pragma once
#define VEC_ISA avx2
#include "../generic/types.h"

namespace vec {
inline namespace VEC_ISA {
constexpr int L = 8;
}  // namespace VEC_ISA
}  // namespace vec

// Each of these builds on the ones before it.
// clang-format off
#ifdef __clang__
#include "clang.h"
#endif
#include "../generic/vector.h"
#include "masks.h"
#include "primitives.h"
#include "../generic/vector_primitives.h"
#include "../generic/ops.h"
#include "memory.h"
#include "../generic/exponent.h"
#include "../generic/all.h"
// clang-format on
