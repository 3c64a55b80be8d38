// vec's f32 math as compiled for one ISA. No standard headers: see tests/isa/vec_kernels.h.
#pragma once

namespace math_test {

typedef void (*UnaryKernel)(const float* x, float* y, long count);  // count: a multiple of 16

struct NamedKernel {
  const char* name;
  UnaryKernel run;
};

struct MathKernels {
  const char* isa;
  const NamedKernel* unary;
  int unary_count;
  void (*pow)(const float* x, const float* y, float* z, long count);
};

#define CPPGEN_ISA(isa, ...) extern const MathKernels kMath_##isa;
#include "runtime/base/isas.def"

}  // namespace math_test
