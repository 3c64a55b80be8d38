// The body is written over the header before it.
// clang-format off
#include "vec/avx2/vec.h"
#include "vec/generic/kernel.h"
#include "vec/generic/math.h"
#include "tests/math/math_kernels_body.h"
// clang-format on

namespace math_test {
constexpr MathKernels kAvx2Math = {"avx2", kUnary, sizeof kUnary / sizeof kUnary[0], run_pow};
}  // namespace math_test
