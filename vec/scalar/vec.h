// One lane, baseline x86-64: everything is plain C++.
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
#ifdef __clang__
#include "clang.h"
#endif
#include "primitives.h"
#include "fma.h"
#include "../generic/ops.h"
#include "half.h"
#include "../generic/exponent.h"
#include "../generic/all.h"
// clang-format on
