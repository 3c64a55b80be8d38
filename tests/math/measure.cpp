#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "isa/vec_isa.h"
#include "tests/math/bounds.h"

namespace math_test {
namespace {

constexpr long kBatch = 4096;

// Calls f(x, count) with batches of the requested floats; batches are filled up to a multiple of 16 with ones.
template <class F>
void for_each_batch(uint64_t first, uint64_t last, uint64_t stride, F f) {
  std::vector<float> x(kBatch);
  while (first < last) {
    long count = 0;
    for (; count < kBatch && first < last; first += stride) x[size_t(count++)] = std::bit_cast<float>(uint32_t(first));
    std::fill(x.begin() + count, x.end(), 1.0f);
    f(x.data(), count);
  }
}

bool same_bits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (a != a && b != b);
}

}  // namespace

double ulp_error(float got, double reference) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (std::isnan(reference) || std::isnan(got)) return std::isnan(reference) && std::isnan(got) ? 0 : kWrong;
  const float rounded = float(reference);
  if (std::isinf(got) || std::isinf(rounded)) {
    if (got == rounded) return 0;
    // Next to the overflow threshold, an error of one ULP may cross it.
    const double limit = 0x1.fffffep127;
    return std::isfinite(reference) && std::fabs(reference) > limit * (1 - 0x1p-23) && std::fabs(got) >= limit &&
                   (got > 0) == (reference > 0)
               ? 1
               : kWrong;
  }
  if (got == 0 && rounded == 0) return std::signbit(got) == std::signbit(reference) ? 0 : kWrong;
  // 2^(23 - exponent of the reference), by its bits: this runs once per float.
  const int exponent = std::max(int(std::bit_cast<uint64_t>(reference) >> 52 & 0x7ff) - 1023, -126);
  const double ulps = std::bit_cast<double>(uint64_t(1023 + 23 - exponent) << 52);
  return std::fabs(double(got) - reference) * ulps;
}

Measured measure(const Bound& bound, UnaryKernel kernel, uint64_t first, uint64_t last, uint64_t stride) {
  Measured result;
  std::vector<float> y(kBatch);
  for_each_batch(first, last, stride, [&](const float* x, long count) {
    kernel(x, y.data(), (count + 15) / 16 * 16);
    for (long i = 0; i < count; i++) {
      const double error = ulp_error(y[size_t(i)], bound.reference(x[i]));
      const bool in_range = !(x[i] < bound.low || x[i] > bound.high);
      if (error <= result.max_ulp || (!in_range && error < std::numeric_limits<double>::infinity())) continue;
      result.max_ulp = error;
      result.at = x[i];
    }
    result.compared += uint64_t(count);
  });
  return result;
}

uint64_t count_differences(UnaryKernel a, UnaryKernel b, uint64_t first, uint64_t last, uint64_t stride) {
  uint64_t differences = 0;
  std::vector<float> ya(kBatch), yb(kBatch);
  for_each_batch(first, last, stride, [&](const float* x, long count) {
    a(x, ya.data(), (count + 15) / 16 * 16);
    b(x, yb.data(), (count + 15) / 16 * 16);
    for (size_t i = 0; i < size_t(count); i++) differences += !same_bits(ya[i], yb[i]);
  });
  return differences;
}

std::vector<float> special_floats() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> v{Limits::quiet_NaN()};
  auto add = [&](float x) {
    for (float y : {x, std::nextafter(x, 0.0f), std::nextafter(x, Limits::infinity())}) v.push_back(y), v.push_back(-y);
  };
  for (float x : {0.0f,
                  0.25f,
                  0.5f,
                  0.55f,
                  0.75f,
                  1.0f,
                  1.5f,
                  2.0f,
                  10.0f,
                  17.0f,
                  20.0f,
                  30.0f,
                  65536.0f,
                  0x1p20f,
                  0x1p23f,
                  0x1p24f,
                  0x1p31f,
                  Limits::min(),
                  Limits::denorm_min(),
                  Limits::max(),
                  Limits::infinity(),
                  88.7228394f,
                  89.0f,
                  89.4159851f,
                  90.0f,
                  103.972084f,
                  104.0f,
                  0.927734375f,
                  8.99f,
                  9.01091f})
    add(x);
  for (int i = 1; i < 200; i++) add(float(i * 1.5707963267948966)), add(float(i * 0.78539816339744831));
  for (int i = -149; i < 128; i++) add(std::ldexp(1.0f, i));
  // The float that comes closest to a multiple of pi/2 (Muller, Elementary Functions, table 11.1).
  add(16367173.0f * 0x1p72f);
  return v;
}

std::vector<const MathKernels*> runnable_math() {
  std::vector<const MathKernels*> list;
  const cppgen::CpuFeatures cpu = cppgen::detect_cpu_features();
#define CPPGEN_ISA(isa, ...) \
  if (cpu.has_all(cppgen::find_isa(#isa)->required)) list.push_back(&kMath_##isa);
#include "runtime/base/isas.def"
  return list;
}

UnaryKernel find_kernel(const MathKernels& kernels, const std::string& name) {
  for (int i = 0; i < kernels.unary_count; i++)
    if (kernels.unary[i].name == name) return kernels.unary[i].run;
  throw std::runtime_error("no math kernel " + name);
}

}  // namespace math_test
