// vec's f32 math for all 2^32 floats: the best ISA against double precision, and the other vector ISAs against the best
// bit for bit. About 20 minutes on two cores; one function: --gtest_filter=*/exp
#include <gtest/gtest.h>

#include <thread>

#include "tests/math/bounds.h"

namespace math_test {
namespace {

constexpr uint64_t kAllFloats = uint64_t(1) << 32;

class AllFloats : public testing::TestWithParam<size_t> {};

// Splits the floats among the cores; f(first, last, worker).
template <class F>
void for_all_floats(F f) {
  const uint64_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (uint64_t w = 0; w < workers; w++)
    threads.emplace_back([=] { f(kAllFloats * w / workers, kAllFloats * (w + 1) / workers, size_t(w)); });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(AllFloats, StayWithinTheBound) {
  const Bound& bound = kBounds[GetParam()];
  const auto all = runnable_math();
  const UnaryKernel best = find_kernel(*all.back(), bound.name);
  std::vector<Measured> measured(std::max(1u, std::thread::hardware_concurrency()));
  for_all_floats(
      [&](uint64_t first, uint64_t last, size_t worker) { measured[worker] = measure(bound, best, first, last, 1); });
  uint64_t compared = 0;
  double worst = 0;
  for (const Measured& m : measured) {
    EXPECT_LE(m.max_ulp, bound.max_ulp) << all.back()->isa << " " << bound.name << " at " << std::hexfloat << m.at;
    compared += m.compared;
    worst = std::max(worst, m.max_ulp);
  }
  EXPECT_EQ(compared, kAllFloats);
  std::printf("%-8s %.4f ULP\n", bound.name, worst);
  std::fflush(stdout);

  for (const MathKernels* kernels : all) {
    if (kernels == all.back() || std::string(kernels->isa) == "scalar") continue;
    std::vector<uint64_t> differences(measured.size());
    for_all_floats([&](uint64_t first, uint64_t last, size_t worker) {
      differences[worker] = count_differences(find_kernel(*kernels, bound.name), best, first, last, 1);
    });
    for (uint64_t d : differences) EXPECT_EQ(d, 0u) << kernels->isa << " " << bound.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Math, AllFloats, testing::Range(size_t(0), std::size(kBounds)),
                         [](const auto& info) { return std::string(kBounds[info.param].name); });

}  // namespace
}  // namespace math_test
