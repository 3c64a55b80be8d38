// The kernels of math_kernels.h over the vec header that was included before. Compiled once per ISA.
#pragma once
#include "tests/math/math_kernels.h"

namespace math_test {
namespace {

// clang-format off
#define FUNCTIONS(X)                                                                                               \
  X(exp) X(exp_flushed) X(expm1) X(log) X(log1p) X(log2) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)     \
  X(asinh) X(acosh) X(atanh) X(erf) X(sigmoid)
// clang-format on

#define KERNEL(name)                                                                                \
  void run_##name(const float* x, float* y, long count) {                                           \
    for (long i = 0; i < count; i += vec::L) vec::store(y + i, vec::name(vec::load<float>(x + i))); \
  }
FUNCTIONS(KERNEL)

#define FAST_FUNCTIONS(X) X(exp) X(exp_flushed) X(sigmoid) X(tanh) X(log) X(erf)
#define FAST_KERNEL(name)                                                                                 \
  void run_fast_##name(const float* x, float* y, long count) {                                            \
    for (long i = 0; i < count; i += vec::L) vec::store(y + i, vec::fast::name(vec::load<float>(x + i))); \
  }
FAST_FUNCTIONS(FAST_KERNEL)

void run_pow(const float* x, const float* y, float* z, long count) {
  for (long i = 0; i < count; i += vec::L)
    vec::store(z + i, vec::pow(vec::load<float>(x + i), vec::load<float>(y + i)));
}

template <int Quarters>
void run_power(const float* x, float* y, long count) {
  for (long i = 0; i < count; i += vec::L) vec::store(y + i, vec::power_of_quarters<Quarters>(vec::load<float>(x + i)));
}

#define ROW(name) {#name, run_##name},
#define FAST_ROW(name) {"fast_" #name, run_fast_##name},
constexpr NamedKernel kUnary[] = {FUNCTIONS(ROW) FAST_FUNCTIONS(FAST_ROW){"inverse", run_power<-4>},
                                  {"inverse_root", run_power<-2>},
                                  {"power_1_4", run_power<1>},
                                  {"root", run_power<2>},
                                  {"power_3_4", run_power<3>},
                                  {"power_3_2", run_power<6>},
                                  {"square", run_power<8>},
                                  {"cube", run_power<12>}};

}  // namespace
}  // namespace math_test
