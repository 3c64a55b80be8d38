// vec's f32 math against double precision: every 4099th float and special values. All floats: math_exhaustive_test.cpp.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "tests/math/bounds.h"

namespace math_test {
namespace {

constexpr uint64_t kAllFloats = uint64_t(1) << 32, kStride = 4099;

TEST(MathAccuracy, EveryFunctionHasABound) {
  for (const MathKernels* kernels : runnable_math()) {
    ASSERT_EQ(kernels->unary_count, int(std::size(kBounds)));
    for (const Bound& bound : kBounds) EXPECT_NE(find_kernel(*kernels, bound.name), nullptr);
  }
}

TEST(MathAccuracy, SampledFloats) {
  for (const MathKernels* kernels : runnable_math())
    for (const Bound& bound : kBounds) {
      const Measured m = measure(bound, find_kernel(*kernels, bound.name), 0, kAllFloats, kStride);
      EXPECT_LE(m.max_ulp, bound.max_ulp) << kernels->isa << " " << bound.name << " at " << std::hexfloat << m.at;
      EXPECT_GT(m.compared, 1000000u);
    }
}

TEST(MathAccuracy, SpecialFloats) {
  std::vector<float> x = special_floats();
  x.resize((x.size() + 15) / 16 * 16, 1.0f);
  std::vector<float> y(x.size());
  for (const MathKernels* kernels : runnable_math())
    for (const Bound& bound : kBounds) {
      find_kernel(*kernels, bound.name)(x.data(), y.data(), long(x.size()));
      for (size_t i = 0; i < x.size(); i++)
        EXPECT_LE(ulp_error(y[i], bound.reference(x[i])), bound.max_ulp)
            << kernels->isa << " " << bound.name << "(" << std::hexfloat << x[i] << ") = " << y[i];
    }
}

// The scalar ISA emulates the fused multiply-add, so all ISAs agree.
TEST(MathAccuracy, AllIsasGiveTheSameBits) {
  const auto all = runnable_math();
  for (const MathKernels* kernels : all)
    for (const Bound& bound : kBounds)
      EXPECT_EQ(count_differences(find_kernel(*kernels, bound.name), find_kernel(*all.back(), bound.name), 0,
                                  kAllFloats, 3 * kStride),
                0u)
          << kernels->isa << " and " << all.back()->isa << ": " << bound.name;
}

// The measurement itself must see errors.
template <int Error>
void exp_with_error(const float* x, float* y, long count) {
  for (long i = 0; i < count; i++) {
    y[i] = float(std::exp(double(x[i])));
    if (std::isfinite(y[i]) && y[i] > 1) y[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(y[i]) + Error);
  }
}
TEST(MathMeasurement, SeesWrongResults) {
  const Bound& bound = kBounds[0];
  ASSERT_STREQ(bound.name, "exp");
  EXPECT_LE(measure(bound, exp_with_error<0>, 0, kAllFloats, 99991).max_ulp, 0.5);
  EXPECT_GT(measure(bound, exp_with_error<2>, 0, kAllFloats, 99991).max_ulp, bound.max_ulp);
  EXPECT_EQ(count_differences(exp_with_error<0>, exp_with_error<0>, 0, kAllFloats, 99991), 0u);
  EXPECT_GT(count_differences(exp_with_error<0>, exp_with_error<1>, 0, kAllFloats, 99991), 1000u);
  EXPECT_EQ(ulp_error(0.0f, 0.0), 0);
  EXPECT_TRUE(std::isinf(ulp_error(-0.0f, 0.0)));
  EXPECT_TRUE(std::isinf(ulp_error(NAN, 1.0)));
  EXPECT_TRUE(std::isinf(ulp_error(1.0f, NAN)));
  EXPECT_TRUE(std::isinf(ulp_error(INFINITY, 1e30)));
  EXPECT_EQ(ulp_error(1.0f + 0x1p-23f, 1.0), 1);
}

struct PowPairs {
  std::vector<float> x, y;
  void add(float a, float b) { x.push_back(a), y.push_back(b); }
};
PowPairs pow_pairs() {
  PowPairs pairs;
  const std::vector<float> special = special_floats();
  for (size_t i = 0; i < special.size(); i += 5)
    for (size_t j = 0; j < special.size(); j += 7) pairs.add(special[i], special[j]);
  for (float a : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, INFINITY, -INFINITY, NAN})
    for (float b : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 16777216.0f, 16777215.0f, 3e38f, INFINITY,
                    -INFINITY, NAN})
      pairs.add(a, b);
  std::mt19937_64 random(6);
  for (int i = 0; i < 400000; i++) {
    const float a = std::bit_cast<float>(uint32_t(random()));
    const float b = i % 3 == 0 ? float(int(random() % 41) - 20)
                               : std::bit_cast<float>(uint32_t(random() & 0x8fffffff) | 0x38000000);
    pairs.add(a, b);
    // Results spread over the whole range of floats.
    const double log_a = std::log2(std::fabs(double(a)));
    if (std::isfinite(log_a) && log_a != 0) pairs.add(std::fabs(a), float((double(random() % 300) - 150) / log_a));
  }
  while (pairs.x.size() % 16) pairs.add(1, 1);
  return pairs;
}
TEST(MathAccuracy, Pow) {
  const PowPairs pairs = pow_pairs();
  std::vector<float> z(pairs.x.size()), best(z.size());
  const auto all = runnable_math();
  all.back()->pow(pairs.x.data(), pairs.y.data(), best.data(), long(z.size()));
  for (const MathKernels* kernels : all) {
    kernels->pow(pairs.x.data(), pairs.y.data(), z.data(), long(z.size()));
    for (size_t i = 0; i < z.size(); i++) {
      const double reference = std::pow(double(pairs.x[i]), double(pairs.y[i]));
      ASSERT_LE(ulp_error(z[i], reference), kPowMaxUlp)
          << kernels->isa << std::hexfloat << " pow(" << pairs.x[i] << ", " << pairs.y[i] << ") = " << z[i] << ", not "
          << float(reference);
      ASSERT_TRUE(std::memcmp(&z[i], &best[i], 4) == 0 || (z[i] != z[i] && best[i] != best[i])) << kernels->isa;
    }
  }
}

}  // namespace
}  // namespace math_test
