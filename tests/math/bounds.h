// The documented accuracy of vec's f32 math, and how it is measured.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/math/math_kernels.h"

namespace math_test {

// One function: its error against `reference` (double precision, rounded to nowhere) is at most max_ulp units in the
// last place of an f32 result, for all floats in [low, high]. Everywhere else, and for NaN, infinite, zero and domain
// errors, the result is the reference's exactly, the sign of zero included. ULPs of subnormal results are 2^-149.
struct Bound {
  const char* name;
  double (*reference)(double);
  float low, high;
  double max_ulp;
};

inline double exp_flushed(double x) { return x < double(-87.33654f) ? 0 : std::exp(x > 0 ? 0 : x); }
inline double sigmoid(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

// clang-format off
inline constexpr float kAll = __builtin_inff();
inline const Bound kBounds[] = {
    {"exp",     [](double x) { return std::exp(x); },   -kAll, kAll, 1.1},
    {"exp_flushed", exp_flushed,                        -kAll, kAll, 1.1},
    {"expm1",   [](double x) { return std::expm1(x); }, -kAll, kAll, 1.6},
    {"log",     [](double x) { return std::log(x); },   -kAll, kAll, 0.9},
    {"log1p",   [](double x) { return std::log1p(x); }, -kAll, kAll, 1.0},
    {"log2",    [](double x) { return std::log2(x); },  -kAll, kAll, 1.35},
    {"sin",     [](double x) { return std::sin(x); },   -kAll, kAll, 1.7},
    {"cos",     [](double x) { return std::cos(x); },   -kAll, kAll, 1.7},
    {"tan",     [](double x) { return std::tan(x); },   -kAll, kAll, 3.2},
    {"asin",    [](double x) { return std::asin(x); },  -kAll, kAll, 2.5},
    {"acos",    [](double x) { return std::acos(x); },  -kAll, kAll, 1.5},
    {"atan",    [](double x) { return std::atan(x); },  -kAll, kAll, 1.5},
    {"sinh",    [](double x) { return std::sinh(x); },  -kAll, kAll, 1.7},
    {"cosh",    [](double x) { return std::cosh(x); },  -kAll, kAll, 1.5},
    {"tanh",    [](double x) { return std::tanh(x); },  -kAll, kAll, 2.7},
    {"asinh",   [](double x) { return std::asinh(x); }, -kAll, kAll, 2.5},
    {"acosh",   [](double x) { return std::acosh(x); }, -kAll, kAll, 2.5},
    {"atanh",   [](double x) { return std::atanh(x); }, -kAll, kAll, 2.5},
    {"erf",     [](double x) { return std::erf(x); },   -kAll, kAll, 0.85},
    {"sigmoid", sigmoid,                                -kAll, kAll, 2.5},
    {"fast_exp",     [](double x) { return std::exp(x); },  -kAll, kAll, 100},
    {"fast_exp_flushed", exp_flushed,                       -kAll, kAll, 100},
    {"fast_sigmoid", sigmoid,                               -kAll, kAll, 100},
    {"fast_tanh",    [](double x) { return std::tanh(x); }, -kAll, kAll, 16},
    {"fast_log",     [](double x) { return std::log(x); },  -kAll, kAll, 32},
    {"fast_erf",     [](double x) { return std::erf(x); },  -kAll, kAll, 24},
    {"inverse",   [](double x) { return std::pow(x, -1); },   -kAll, kAll, 0.5},
    {"inverse_root", [](double x) { return std::pow(x, -0.5); }, -kAll, kAll, 2.4},
    {"power_1_4", [](double x) { return std::pow(x, 0.25); }, -kAll, kAll, 2.4},
    {"root",  [](double x) { return std::pow(x, 0.5); },  -kAll, kAll, 0.5},
    {"power_3_4", [](double x) { return std::pow(x, 0.75); }, -kAll, kAll, 2.4},
    {"power_3_2",  [](double x) { return std::pow(x, 1.5); },  -kAll, kAll, 2.4},
    {"square",    [](double x) { return std::pow(x, 2); },    -kAll, kAll, 0.5},
    {"cube",    [](double x) { return std::pow(x, 3); },    -kAll, kAll, 2.4},
};
// clang-format on
inline constexpr double kPowMaxUlp = 0.6;

// Distance of `got` from the reference in ULPs; infinite for a wrong NaN, infinity or sign of zero.
double ulp_error(float got, double reference);

struct Measured {
  double max_ulp = 0;
  float at = 0;  // where the largest error was met
  uint64_t compared = 0;
};

// The floats whose bit patterns are first, first + stride, ... below `last` <= 2^32.
Measured measure(const Bound& bound, UnaryKernel kernel, uint64_t first, uint64_t last, uint64_t stride);

// The number of those floats for which two kernels give different bits (two NaNs are equal).
uint64_t count_differences(UnaryKernel a, UnaryKernel b, uint64_t first, uint64_t last, uint64_t stride);

// Floats that functions treat specially: zeros, ones, limits, infinities, NaN, multiples of pi/2, and their neighbours.
std::vector<float> special_floats();

// The kernels of the ISAs that this CPU runs, best last.
std::vector<const MathKernels*> runnable_math();

UnaryKernel find_kernel(const MathKernels& kernels, const std::string& name);

}  // namespace math_test
