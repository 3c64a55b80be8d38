#include "tests/isa/vec_kernels_body.h"
#include "vec/avx512/vec.h"

namespace vec_test {
constexpr VecKernels kAvx512Kernels = make_kernels("avx512");
}  // namespace vec_test
