#include "tests/isa/vec_kernels_body.h"
#include "vec/avx2/vec.h"

namespace vec_test {
constexpr VecKernels kAvx2Kernels = make_kernels("avx2");
}  // namespace vec_test
