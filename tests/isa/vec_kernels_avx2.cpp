// The body is written over the header before it.
// clang-format off
#include "vec/avx2/vec.h"
#include "tests/isa/vec_kernels_body.h"
// clang-format on

namespace vec_test {
constexpr VecKernels kAvx2Kernels = make_kernels("avx2");
}  // namespace vec_test
