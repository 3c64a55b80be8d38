// One lane, on the baseline of each architecture: nearly everything is plain C++.
#pragma once
#define VEC_ISA scalar
#include "../generic/types.h"

namespace vec {
inline namespace VEC_ISA {
constexpr int L = 1;
}  // namespace VEC_ISA
}  // namespace vec

// Each of these builds on the ones before it.
// clang-format off
#if defined(__clang__) && defined(__x86_64__)
#include "clang.h"
#endif
#include "primitives.h"
#if defined(__x86_64__)
#include "x86_64.h"
#include "fma.h"
#elif defined(__aarch64__)
#include "aarch64.h"
#endif
#include "../generic/ops.h"
#include "half.h"
#include "../generic/exponent.h"
#include "../generic/all.h"
// clang-format on
