#include "runtime/session/session.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "runtime/base/errors.h"
#include "runtime/session/context_pool.h"
#include "runtime/session/instruments.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

// The text of the UserError that `f` throws; "" if none.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

Tensor ramp(std::vector<int64_t> dims) {
  Tensor x(DType::f32, std::move(dims));
  std::iota(x.as<float>(), x.as<float>() + x.elements(), 0.0f);
  return x;
}

class TwoStep : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TempDirectory;
    write_package(directory_->path(), two_step_plan(), kTwoStepSource, kTwoStepWeights);
  }
  static void TearDownTestSuite() { delete directory_; }

  static std::shared_ptr<const Executable> executable() { return Executable::load(directory_->path()); }
  static SessionOptions threads(int count) {
    SessionOptions options;
    options.threads = count;
    return options;
  }

  static void expect_right(const Tensor& x, const Tensor& y) {
    ASSERT_EQ(y.dims(), x.dims());
    for (int64_t i = 0; i < x.elements(); i++)
      ASSERT_EQ(y.as<float>()[i], (x.as<float>()[i] + kTwoStepWeights[size_t(i % 4)]) * 2) << i;
  }

  static TempDirectory* directory_;
};
TempDirectory* TwoStep::directory_ = nullptr;

TEST_F(TwoStep, RunsForAnySize) {
  Session session(executable(), threads(2));
  for (int64_t n : {1, 7, 0, 1000, 100000, 7}) {
    const Tensor x = ramp({n, 4});
    const std::vector<TensorView> inputs{x.view()};
    const auto outputs = session.run(inputs);
    ASSERT_EQ(outputs.size(), 1u);
    expect_right(x, outputs[0]);
  }
}

TEST_F(TwoStep, WritesIntoTheCallersMemory) {
  Session session(executable(), threads(2));
  const Tensor x = ramp({5, 4});
  Tensor y(DType::f32, {5, 4});
  const TensorView inputs[] = {x.view()};
  const OutputView outputs[] = {y.output()};
  session.run(inputs, outputs);
  expect_right(x, y);
}

TEST_F(TwoStep, SameBitsOnAnyNumberOfThreads) {
  const Tensor x = ramp({200000, 4});
  const TensorView inputs[] = {x.view()};
  for (int count : {1, 2, 3, 8}) {
    Session session(executable(), threads(count));
    EXPECT_EQ(session.stats().threads, count);
    expect_right(x, session.run(inputs)[0]);
  }
}

TEST_F(TwoStep, ManyCallersAtOnce) {
  Session session(executable(), threads(2));
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; caller++)
    callers.emplace_back([&, caller] {
      for (int64_t repeat = 0; repeat < 30; repeat++) {
        const Tensor x = ramp({100 + 1000 * caller + repeat % 3, 4});
        const TensorView inputs[] = {x.view()};
        expect_right(x, session.run(inputs)[0]);
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST_F(TwoStep, ConcurrentRunsAreOnDifferentStreams) {
  const auto package = executable();
  Instruments none{SessionOptions()};
  ContextPool pool(*package, {make_executor({}), make_executor({})}, {}, none);
  const Executor* first = nullptr;
  {
    ContextPool::Lease a(pool), b(pool);
    EXPECT_NE(&a.executor(), &b.executor());
    first = &a.executor();
  }
  EXPECT_EQ(&ContextPool::Lease(pool).executor(), first);
}

TEST_F(TwoStep, StatsCountArenaAndWeights) {
  Session session(executable(), threads(1));
  EXPECT_EQ(session.stats().weights_bytes, 16);
  EXPECT_EQ(session.stats().steps, 2u);
  const Tensor x = ramp({100, 4});
  const TensorView inputs[] = {x.view()};
  session.run(inputs);
  EXPECT_EQ(session.stats().arena_bytes, 1600);
}

TEST_F(TwoStep, ProfileCountsEveryStep) {
  SessionOptions options = threads(2);
  options.enable_kernel_profile = true;
  Session session(executable(), options);
  const Tensor x = ramp({1000, 4});
  const TensorView inputs[] = {x.view()};
  for (int i = 0; i < 3; i++) session.run(inputs);
  const auto profile = session.profile();
  ASSERT_EQ(profile.size(), 2u);
  for (const StepProfile& step : profile) {
    EXPECT_EQ(step.calls, 3);
    EXPECT_GT(step.ns, 0);
    EXPECT_EQ(step.flops, 3 * 4000);
  }
  const std::string text = profile_text(session.plan(), profile);
  EXPECT_NE(text.find("k_twice (Mul_1)"), text.npos) << text;
  Session silent(executable(), threads(1));
  silent.run(inputs);
  EXPECT_EQ(silent.profile()[0].calls, 0);
}

TEST_F(TwoStep, RefusesWrongInputs) {
  Session session(executable(), threads(1));
  const Tensor x = ramp({3, 4}), wide = ramp({3, 5}), flat = ramp({12}), integers(DType::i32, {3, 4});
  const auto run = [&](std::vector<TensorView> inputs) { return error_of([&] { session.run(inputs); }); };
  EXPECT_EQ(run({}), "0 inputs are given; the model has 1");
  EXPECT_EQ(run({integers.view()}), "input 'x' has type int32; the model requires float32");
  EXPECT_EQ(run({flat.view()}), "input 'x' has shape [12] of 1 dimensions; the model requires 2");
  EXPECT_EQ(run({wide.view()}), "input 'x' axis 1 is 5; the model requires 4");
  EXPECT_EQ(run({{DType::f32, x.dims(), nullptr}}), "input 'x' of shape [3, 4] has no data");
  EXPECT_EQ(run({{DType::f32, x.dims(), x.as<char>() + 1}}), "input 'x' is not aligned to its element size (4 bytes)");
  Tensor y(DType::f32, {4, 4});
  const TensorView inputs[] = {x.view()};
  const OutputView outputs[] = {y.output()};
  EXPECT_EQ(error_of([&] { session.run(inputs, outputs); }),
            "output 'y' was given shape [4, 4]; the result has shape [3, 4]");
  EXPECT_EQ(error_of([&] { session.run(inputs, std::span<const OutputView>()); }),
            "memory for 0 outputs is given; the model has 1");
}

// a[N], b[2N + 1], c[N]: three places that speak of N.
TEST(Symbols, DisagreementNamesBothPlaces) {
  Plan plan;
  plan.model = "symbols";
  plan.isa = "scalar";
  plan.symbols = {{"N", 0, 0}};
  plan.inputs = {
      {"a", DType::f32, {sym(0)}, 0}, {"b", DType::f32, {sym(0) * num(2) + num(1)}, 0}, {"c", DType::f32, {sym(0)}, 0}};
  TempDirectory directory;
  write_package(directory.path(), plan, "", {});
  SessionOptions options;
  options.threads = 1;
  Session session(Executable::load(directory.path()), options);
  const auto run = [&](int64_t a, int64_t b, int64_t c) {
    const Tensor ta = ramp({a}), tb = ramp({b}), tc = ramp({c});
    const TensorView inputs[] = {ta.view(), tb.view(), tc.view()};
    return error_of([&] { session.run(inputs); });
  };
  EXPECT_EQ(run(3, 7, 3), "");
  EXPECT_EQ(run(3, 7, 7), "input 'c' axis 0 is 7, but N is 3 from input 'a' axis 0");
  EXPECT_EQ(run(3, 6, 3), "input 'b' axis 0 is 6; the model requires 7 (N = 3 from input 'a' axis 0)");
}

// a[N] and b[M] with N + 2 <= M.
TEST(Symbols, BoundsAreChecked) {
  Plan plan;
  plan.model = "bounds";
  plan.isa = "scalar";
  plan.symbols = {{"N", 0, 0}, {"M", 1, 0}};
  plan.bounds = {{sym(0) + num(2), sym(1), "N + 2 <= M"}};
  plan.inputs = {{"a", DType::f32, {sym(0)}, 0}, {"b", DType::f32, {sym(1)}, 0}};
  TempDirectory directory;
  write_package(directory.path(), plan, "", {});
  SessionOptions options;
  options.threads = 1;
  Session session(Executable::load(directory.path()), options);
  const auto run = [&](int64_t a, int64_t b) {
    const Tensor ta = ramp({a}), tb = ramp({b});
    const TensorView inputs[] = {ta.view(), tb.view()};
    return error_of([&] { session.run(inputs); });
  };
  EXPECT_EQ(run(3, 5), "");
  EXPECT_EQ(run(3, 4), "the model requires N + 2 <= M; N = 3 from input 'a' axis 0, M = 4 from input 'b' axis 0");
}

constexpr const char* kCheckedSource = R"(
extern "C" void k_gather(const cppgen_kernel_args* args, long begin, long end) {
  const long* index = (const long*)args->buffers[0];
  long* y = (long*)args->buffers[1];
  for (long i = begin; i < end; i++) {
    if (index[i] < 0 || index[i] >= 10) { *args->error = 2; return; }
    y[i] = index[i] * index[i];
  }
}
extern "C" void k_scratch(const cppgen_kernel_args* args, long begin, long end) {
  long* y = (long*)args->buffers[0];
  long* scratch = (long*)args->scratch;
  for (long i = begin; i < end; i++) {
    for (int j = 0; j < 512; j++) scratch[j] = i;
    long sum = 0;
    for (int j = 0; j < 512; j++) sum += scratch[j];
    y[i] += sum;
  }
}
)";

Plan checked_plan(int64_t n) {
  Plan plan;
  plan.model = "checked";
  plan.isa = "scalar";
  plan.inputs = {{"index", DType::i64, {num(n)}, 10}};
  plan.outputs = {{"y", DType::i64, {num(n)}, 0}};
  plan.buffers = {{PlanBufferKind::input, 0, 0, num(8 * n), 0, 0, -1},
                  {PlanBufferKind::output, 0, 0, num(8 * n), 0, 0, -1}};
  Step gather;
  gather.name = "k_gather";
  gather.object = 0;
  gather.buffers = {0, 1};
  gather.output_count = 1;
  gather.range = num(n);
  gather.unit_work = num(1000);
  Step scratch = gather;
  scratch.name = "k_scratch";
  scratch.buffers = {1};
  scratch.scratch_bytes = num(4090);
  plan.steps = {gather, scratch};
  plan.objects = {"kernels_0.so"};
  plan.checks = {"unused", "Gather_7: index out of range"};
  return plan;
}

TEST(Checks, FailedIndexCheckBecomesTheTextOfThePlan) {
  constexpr int64_t kN = 2000;
  TempDirectory directory;
  write_package(directory.path(), checked_plan(kN), kCheckedSource, {});
  for (int threads : {1, 3}) {
    SessionOptions options;
    options.threads = threads;
    Session session(Executable::load(directory.path()), options);
    EXPECT_EQ(session.stats().arena_bytes, 4096 * threads);
    Tensor x(DType::i64, {kN});
    for (int64_t i = 0; i < kN; i++) x.as<int64_t>()[i] = i % 10;
    const TensorView inputs[] = {x.view()};
    const auto expect_right = [&] {
      const auto outputs = session.run(inputs);
      for (int64_t i = 0; i < kN; i++) ASSERT_EQ(outputs[0].as<int64_t>()[i], (i % 10) * (i % 10) + 512 * i);
    };
    expect_right();
    x.as<int64_t>()[1234] = 10;
    EXPECT_EQ(error_of([&] { session.run(inputs); }), "Gather_7: index out of range");
    x.as<int64_t>()[1234] = 4;
    expect_right();
  }
}

}  // namespace
}  // namespace cppgen::rt::test
