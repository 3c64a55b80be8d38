#include "tests/isa/vec_kernels_body.h"
#include "vec/scalar/vec.h"

namespace vec_test {
constexpr VecKernels kScalarKernels = make_kernels("scalar");
}  // namespace vec_test
