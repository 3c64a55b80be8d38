// Sessions over plans that share memory, have many bindings, or call library functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "runtime/base/errors.h"
#include "runtime/plan/calls/onednn.h"
#include "runtime/plan/calls/topk.h"
#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

constexpr const char* kIncrementSource = R"(
extern "C" void k_inc(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  float* y = (float*)args->buffers[1];
  for (long i = begin; i < end; i++) y[i] = x[i] + 1;
}
)";

// y[N] = x[N] + `steps`, one step at a time. The temporaries lie where `shares` says: -1 for memory of their own.
Plan increments(int steps, const std::vector<int32_t>& shares) {
  Plan plan;
  plan.model = "increments";
  plan.isa = "scalar";
  plan.symbols = {{"N", 0, 0}};
  plan.inputs = {{"x", DType::f32, {sym(0)}, 0}};
  plan.outputs = {{"y", DType::f32, {sym(0)}, 0}};
  const DimExpr bytes = sym(0) * num(4);
  plan.buffers = {{PlanBufferKind::input, 0, 0, bytes, 0, 0, -1}, {PlanBufferKind::output, 0, 0, bytes, 0, 0, -1}};
  for (int32_t i = 0; i < steps - 1; i++)
    plan.buffers.push_back({PlanBufferKind::temporary, -1, 0, bytes, i, i + 1, shares[size_t(i)]});
  for (int32_t i = 0; i < steps; i++) {
    Step step;
    step.name = "k_inc";
    step.object = 0;
    step.buffers = {i == 0 ? 0 : i + 1, i == steps - 1 ? 1 : i + 2};
    step.output_count = 1;
    step.range = sym(0);
    plan.steps.push_back(step);
  }
  plan.objects = {"kernels_0.so"};
  return plan;
}

void expect_increments(Session& session, int64_t n, float steps) {
  Tensor x(DType::f32, {n});
  for (int64_t i = 0; i < n; i++) x.as<float>()[i] = float(i);
  const TensorView inputs[] = {x.view()};
  const auto outputs = session.run(inputs);
  for (int64_t i = 0; i < n; i++) ASSERT_EQ(outputs[0].as<float>()[i], float(i) + steps) << i << " of " << n;
}

TEST(SharedMemory, InPlaceAndInTheOutput) {
  for (const std::vector<int32_t>& shares :
       {std::vector<int32_t>{-1, -1, -1, -1}, {-1, 2, 3, 4}, {1, 2, 3, 4}, {-1, -1, 1, 4}}) {
    TempDirectory directory;
    write_package(directory.path(), increments(5, shares), kIncrementSource, {});
    Session session(Executable::load(directory.path()), {.threads = 2});
    expect_increments(session, 16, 5);
    expect_increments(session, 100000, 5);
    EXPECT_EQ(session.stats().arena_bytes == 0, shares[0] == 1);
  }
}

TEST(SharedMemory, WithoutPlanningEachBufferHasItsOwnPlace) {
  TempDirectory directory;
  write_package(directory.path(), increments(9, std::vector<int32_t>(8, -1)), kIncrementSource, {});
  const auto executable = Executable::load(directory.path());
  Session planned(executable, {.threads = 1}), apart(executable, {.threads = 1, .memory_planning = false});
  expect_increments(planned, 1024, 9);
  expect_increments(apart, 1024, 9);
  EXPECT_EQ(planned.stats().arena_bytes, 2 * 4096);
  EXPECT_EQ(apart.stats().arena_bytes, 8 * 4096);
}

TEST(Bindings, EverNewSizesAndOldOnesAgain) {
  TempDirectory directory;
  write_package(directory.path(), increments(3, {-1, -1}), kIncrementSource, {});
  Session session(Executable::load(directory.path()), {.threads = 2});
  for (int round = 0; round < 2; round++)
    for (int64_t n = 1; n <= 200; n++) expect_increments(session, n * 17 % 1000, 3);
}

TEST(Bindings, SizesThatOverflowAreRefused) {
  TempDirectory directory;
  Plan plan = increments(2, {-1});
  plan.buffers[2].bytes = sym(0) * num(int64_t(1) << 40) * num(int64_t(1) << 20);
  write_package(directory.path(), plan, kIncrementSource, {});
  Session session(Executable::load(directory.path()), {.threads = 1});
  EXPECT_THROW(expect_increments(session, 1000, 2), UserError);  // the size overflows
  EXPECT_THROW(expect_increments(session, 7, 2), UserError);     // there is no such memory
  expect_increments(session, 0, 2);
}

// A convolution by oneDNN, then the top of each row.
Plan library_plan(int64_t n, int64_t size, int64_t channels) {
  Plan plan;
  plan.model = "library";
  plan.isa = "scalar";
  plan.inputs = {{"x", DType::f32, {num(n), num(size), num(size), num(channels)}, 0}};
  plan.outputs = {{"values", DType::f32, {num(n * size * size), num(5)}, 0},
                  {"indices", DType::i64, {num(n * size * size), num(5)}, 0}};
  const int64_t rows = n * size * size, bytes = 4 * rows * channels;
  plan.buffers = {{PlanBufferKind::input, 0, 0, num(bytes), 0, 0, -1},
                  {PlanBufferKind::constant, -1, 0, num(4 * channels * channels * 9), 0, 0, -1},
                  {PlanBufferKind::temporary, -1, 0, num(bytes), 0, 1, -1},
                  {PlanBufferKind::output, 0, 0, num(4 * rows * 5), 0, 0, -1},
                  {PlanBufferKind::output, 1, 0, num(8 * rows * 5), 0, 0, -1}};
  Step conv;
  conv.kind = StepKind::library;
  conv.name = kOneDnnContraction;
  conv.buffers = {0, 1, 2};
  conv.output_count = 1;
  OneDnnCall<int64_t> convolution;
  convolution.convolution = {n, 1, channels, channels, {2, {size, size, 3, 1, 1, 1, 1}}};
  for (int64_t value : flat_fields<int64_t>(convolution).integers) conv.params.push_back(num(value));
  Step top;
  top.kind = StepKind::library;
  top.name = kTopK;
  top.buffers = {2, 3, 4};
  top.output_count = 2;
  const TopKCall<int64_t> greatest{DType::f32, rows, channels, 1, 5, true};
  for (int64_t value : flat_fields<int64_t>(greatest).integers) top.params.push_back(num(value));
  plan.steps = {conv, top};
  return plan;
}

TEST(LibrarySteps, SameBitsOnAnyNumberOfThreads) {
  constexpr int64_t kN = 2, kSize = 14, kChannels = 32;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> weights(kChannels * kChannels * 9);
  for (float& weight : weights) weight = uniform(random);
  TempDirectory directory;
  write_package(directory.path(), library_plan(kN, kSize, kChannels), "", weights);
  Tensor x(DType::f32, {kN, kSize, kSize, kChannels});
  for (int64_t i = 0; i < x.elements(); i++) x.as<float>()[i] = uniform(random);
  const TensorView inputs[] = {x.view()};
  const auto executable = Executable::load(directory.path());
  std::vector<Tensor> first;
  for (int threads : {1, 2, 3, 8}) {
    Session session(executable, {.threads = threads, .enable_kernel_profile = true});
    for (int repeat = 0; repeat < 3; repeat++) {
      auto outputs = session.run(inputs);
      if (first.empty())
        first = std::move(outputs);
      else
        for (size_t i = 0; i < 2; i++)
          ASSERT_EQ(std::memcmp(outputs[i].data(), first[i].data(), size_t(first[i].bytes())), 0) << threads;
    }
    EXPECT_EQ(session.profile()[1].calls, 3);
  }
  for (int64_t row = 0; row < first[0].dims()[0]; row++)
    ASSERT_TRUE(std::is_sorted(first[0].as<float>() + 5 * row, first[0].as<float>() + 5 * row + 5, std::greater<>()));
}

}  // namespace
}  // namespace cppgen::rt::test
