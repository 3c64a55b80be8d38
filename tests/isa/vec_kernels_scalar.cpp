// The body is written over the header before it.
// clang-format off
#include "vec/scalar/vec.h"
#include "tests/isa/vec_kernels_body.h"
// clang-format on

namespace vec_test {
constexpr VecKernels kScalarKernels = make_kernels("scalar");
}  // namespace vec_test
