// The body is written over the header before it.
// clang-format off
#include "vec/avx512/vec.h"
#include "tests/isa/vec_kernels_body.h"
// clang-format on

namespace vec_test {
constexpr VecKernels kAvx512Kernels = make_kernels("avx512");
}  // namespace vec_test
