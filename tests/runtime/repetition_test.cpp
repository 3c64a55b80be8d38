// Steps that run several times: what they are told, where they find what the time before left, and what is refused.
#include <gtest/gtest.h>

#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "runtime/session/waves.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

// state = x; T times: trace[t] = t, state = 2 state + t through a buffer of its own; y = state.
constexpr const char* kSource = R"(
extern "C" void k_copy(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  float* y = (float*)args->buffers[1];
  for (long i = begin; i < end; i++) y[i] = x[i];
}
extern "C" void k_twice(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  float* y = (float*)args->buffers[1];
  for (long i = begin; i < end; i++) y[i] = 2 * x[i];
}
extern "C" void k_add(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  float* y = (float*)args->buffers[1];
  for (long i = begin; i < end; i++) y[i] = x[i] + args->params[0];
}
extern "C" void k_trace(const cppgen_kernel_args* args, long begin, long end) {
  if (begin == 0) ((float*)args->buffers[0])[args->params[0]] = args->params[0];
}
)";

Step step(const std::string& name, std::vector<int32_t> buffers, std::vector<DimExpr> params = {}) {
  Step s;
  s.name = name, s.engine = "loops", s.object = 0;
  s.buffers = std::move(buffers), s.output_count = 1, s.params = std::move(params);
  s.range = sym(0), s.unit_work = num(64);
  return s;
}

// Inputs x[N], and a tensor whose only use is its dimension T.
Plan repeated() {
  Plan plan;
  plan.model = "repeated", plan.isa = "scalar", plan.objects = {"kernels_0.so"};
  plan.symbols = {{"N", 0, 0}, {"T", 1, 0}};
  plan.inputs = {{"x", DType::f32, {sym(0)}, 0}, {"t", DType::f32, {sym(1)}, 0}};
  plan.outputs = {{"y", DType::f32, {sym(0)}, 0}, {"trace", DType::f32, {sym(1)}, 0}};
  const DimExpr bytes = sym(0) * num(4);
  plan.buffers = {{PlanBufferKind::input, 0, 0, bytes, 0, 0, -1},
                  {PlanBufferKind::output, 0, 0, bytes, 0, 0, -1},
                  {PlanBufferKind::output, 1, 0, sym(1) * num(4), 0, 0, -1}};
  const DimExpr time = sym(2);
  plan.steps = {step("k_copy", {0, 3}), step("k_twice", {4, 5}), step("k_trace", {2}, {time}),
                step("k_add", {5, 6}, {time}), step("k_copy", {6, 1})};
  const std::pair<int32_t, int32_t> lives[] = {{0, 3}, {1, 3}, {1, 3}, {1, 4}};  // initial, before, twice, after
  for (auto [first, last] : lives) plan.buffers.push_back({PlanBufferKind::temporary, -1, 0, bytes, first, last, -1});
  plan.repetitions = {{sym(1), 1, 3, {{3, 4, 6}}}};
  return plan;
}

TEST(Repetition, RunsItsStepsInOrderAndHandsItsStateOn) {
  TempDirectory directory;
  write_package(directory.path(), repeated(), kSource, {});
  const auto executable = Executable::load(directory.path());
  for (int64_t threads : {1, 2})
    for (int64_t streams : {1, 8}) {
      Session session(executable, {.threads = threads,
                                   .min_chunk_size = 16,
                                   .multistream_mode = streams > 1,
                                   .multistream_extra_streams = streams - 1});
      for (int64_t times : {3, 1, 6, 2, 3})
        for (int64_t n : {1, 1000}) {
          Tensor x(DType::f32, {n}), t(DType::f32, {times});
          for (int64_t i = 0; i < n; i++) x.as<float>()[i] = float(i);
          const TensorView inputs[] = {x.view(), t.view()};
          const auto outputs = session.run(inputs);
          float added = 0;
          for (int64_t time = 0; time < times; time++) {
            added = 2 * added + float(time);
            ASSERT_EQ(outputs[1].as<float>()[time], float(time));
          }
          for (int64_t i = 0; i < n; i++)
            ASSERT_EQ(outputs[0].as<float>()[i], float(i << times) + added) << times << " times, element " << i;
        }
    }
}

TEST(Repetition, IsProfiledAsOftenAsItRuns) {
  TempDirectory directory;
  write_package(directory.path(), repeated(), kSource, {});
  Session session(Executable::load(directory.path()), {.threads = 1, .enable_kernel_profile = true});
  Tensor x(DType::f32, {8}), t(DType::f32, {5});
  const TensorView inputs[] = {x.view(), t.view()};
  session.run(inputs);
  std::vector<int64_t> calls;
  for (const StepProfile& step : session.profile()) calls.push_back(step.calls);
  EXPECT_EQ(calls, (std::vector<int64_t>{1, 5, 5, 5, 1}));
}

// A cache that cannot hold all that an iteration reads has the rest of it for the next one.
TEST(Repetition, IterationsRunTheirChunksInAlternatingOrder) {
  TempDirectory directory;
  write_package(directory.path(), repeated(), kSource, {});
  std::vector<int64_t> chunks;  // of the repeated step "k_twice", as they ran
  const auto note = [&](std::span<const std::vector<TraceSlice>> slices) {
    for (const TraceSlice& slice : slices[0])
      if (slice.step == 1) chunks.push_back(slice.chunk);
  };
  Session session(Executable::load(directory.path()), {.threads = 1, .min_chunk_size = 16, .on_chunks = note});
  Tensor x(DType::f32, {100000}), t(DType::f32, {3});
  const TensorView inputs[] = {x.view(), t.view()};
  session.run(inputs);
  ASSERT_EQ(chunks.size() % 3, 0u);
  const size_t count = chunks.size() / 3;
  ASSERT_GT(count, 1u);
  for (size_t i = 0; i < chunks.size(); i++) {
    const size_t at = i % count;
    EXPECT_EQ(chunks[i], int64_t(i / count % 2 ? at : count - 1 - at));
  }
}

TEST(Repetition, ItsWavesAreItsOwn) {
  const Plan plan = repeated();
  const auto waves = plan_waves(plan, 8);
  EXPECT_EQ(waves, (std::vector<Wave>{{0}, {1, 2}, {3}, {4}}));
  const auto buffers = lifetimes_in_waves(plan, waves);
  const std::pair<int32_t, int32_t> expected[] = {{0, 2}, {1, 2}, {1, 2}, {1, 3}};
  for (size_t b = 3; b < 7; b++)
    EXPECT_EQ(std::pair(buffers[b].first_step, buffers[b].last_step), expected[b - 3]) << b;
}

TEST(Repetition, SurvivesJson) {
  const Plan plan = repeated(), again = plan_from_json(to_json(plan));
  ASSERT_EQ(again.repetitions.size(), 1u);
  EXPECT_EQ(again.repetitions[0].steps, plan.repetitions[0].steps);
  EXPECT_EQ(again.repetitions[0].carried, plan.repetitions[0].carried);
  EXPECT_EQ(to_json(again), to_json(plan));
}

std::string refusal(const std::function<void(Plan&)>& change) {
  Plan plan = repeated();
  change(plan);
  try {
    validate(plan);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Repetition, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(refusal([](Plan&) {}), "");
  const std::pair<std::function<void(Plan&)>, std::string> cases[] = {
      {[](Plan& p) { p.repetitions[0].last_step = 5; }, "repetitions[0].last_step is 5; allowed is 0 to 4"},
      {[](Plan& p) { p.repetitions[0].first_step = 4; }, "repetitions[0] runs from step 4 to 3"},
      {[](Plan& p) { p.repetitions.push_back(p.repetitions[0]); }, "repetitions[1] runs from step 1 to 3, after one"},
      {[](Plan& p) { p.repetitions[0].steps = num(-1); }, "repetitions[0].steps is -1"},
      {[](Plan& p) { p.repetitions[0].steps = sym(2); }, "repetitions[0].steps symbol is 2; allowed is 0 to 1"},
      {[](Plan& p) { p.repetitions[0].carried[0].after = 7; }, "repetitions[0].carried is 7; allowed is 0 to 6"},
      {[](Plan& p) { p.repetitions[0].carried[0].after = 1; }, "repetitions[0].carried names buffer 1"},
      {[](Plan& p) { p.repetitions[0].carried[0].after = 4; }, "repetitions[0].carried names buffer 4 twice"},
      {[](Plan& p) { p.repetitions[0].carried[0].initial = 5; }, "repetitions[0].carried reads buffer 5 before"},
      {[](Plan& p) { p.steps[4].params = {sym(2)}; }, "steps[4].params[0] symbol is 2; allowed is 0 to 1"},
  };
  for (const auto& [change, error] : cases)
    EXPECT_NE(refusal(change).find("plan: " + error), std::string::npos)
        << "expected: " << error << "\nfound: " << refusal(change);
}

TEST(Repetition, StatesAreOfOneSize) {
  TempDirectory directory;
  Plan plan = repeated();
  plan.buffers[6].bytes = plan.buffers[6].bytes + num(4);
  write_package(directory.path(), plan, kSource, {});
  Session session(Executable::load(directory.path()), {.threads = 1});
  Tensor x(DType::f32, {8}), t(DType::f32, {2});
  const TensorView inputs[] = {x.view(), t.view()};
  EXPECT_THROW(session.run(inputs), UserError);
}

}  // namespace
}  // namespace cppgen::rt::test
