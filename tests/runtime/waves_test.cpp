// Steps that run at the same time: which, and that results and lifetimes stay right.
#include "runtime/session/waves.h"

#include <gtest/gtest.h>

#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

// buffers[output] = buffers[input] + 1, or the sum of two inputs.
constexpr const char* kSource = R"(
extern "C" void k_add(const cppgen_kernel_args* args, long begin, long end) {
  const float* x = (const float*)args->buffers[0];
  const float* y = (const float*)args->buffers[1];
  float* z = (float*)args->buffers[2];
  for (long i = begin; i < end; i++) z[i] = x[i] + y[i];
}
)";

Step add(int32_t x, int32_t y, int32_t z) {
  Step step;
  step.name = "k_add", step.engine = "loops", step.object = 0;
  step.buffers = {x, y, z}, step.output_count = 1;
  step.range = sym(0), step.unit_work = num(64);
  return step;
}

PlanBuffer temporary(int32_t first, int32_t last, int32_t shares = -1) {
  return {PlanBufferKind::temporary, -1, 0, sym(0) * num(4), first, last, shares};
}

// `branches` chains of `length` doublings of x[N], then the sum of their ends.
Plan branched(int branches, int length) {
  Plan plan;
  plan.model = "branched", plan.isa = "scalar", plan.symbols = {{"N", 0, 0}}, plan.objects = {"kernels_0.so"};
  plan.inputs = {{"x", DType::f32, {sym(0)}, 0}}, plan.outputs = {{"y", DType::f32, {sym(0)}, 0}};
  plan.buffers = {{PlanBufferKind::input, 0, 0, sym(0) * num(4), 0, 0, -1},
                  {PlanBufferKind::output, 0, 0, sym(0) * num(4), 0, 0, -1}};
  const auto new_temporary = [&](int last) {
    plan.buffers.push_back(temporary(int32_t(plan.steps.size()), int32_t(last)));
    return int32_t(plan.buffers.size()) - 1;
  };
  std::vector<int32_t> ends;
  const int sums = branches * length;  // the first step after the branches
  for (int b = 0; b < branches; b++) {
    int32_t at = 0;
    for (int i = 0; i < length; i++) {
      const int32_t next = new_temporary(i + 1 < length ? int(plan.steps.size()) + 1 : sums + std::max(0, b - 1));
      plan.steps.push_back(add(at, at, next));
      at = next;
    }
    ends.push_back(at);
  }
  int32_t sum = ends[0];
  for (int b = 1; b < branches; b++) {
    const int32_t next = b + 1 < branches ? new_temporary(int(plan.steps.size()) + 1) : 1;
    plan.steps.push_back(add(sum, ends[size_t(b)], next));
    sum = next;
  }
  return plan;
}

TEST(Waves, BranchesSideBySideUpToTheLimit) {
  const Plan plan = branched(3, 2);  // steps 0 1, 2 3, 4 5, then the sums 6 and 7
  EXPECT_EQ(plan_waves(plan, 1), (std::vector<Wave>{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}));
  EXPECT_EQ(plan_waves(plan, 2), (std::vector<Wave>{{0, 2}, {1, 3}, {4, 6}, {5}, {7}}));
  EXPECT_EQ(plan_waves(plan, 8), (std::vector<Wave>{{0, 2, 4}, {1, 3, 5}, {6}, {7}}));
}

TEST(Waves, AWriterInPlaceWaitsForReaders) {
  Plan plan = branched(1, 1);
  plan.buffers = {plan.buffers[0], plan.buffers[1], temporary(0, 2), temporary(2, 3, 2), temporary(1, 3)};
  plan.steps = {add(0, 0, 2), add(2, 2, 4), add(2, 2, 3), add(3, 4, 1)};  // step 2 overwrites what step 1 reads
  EXPECT_EQ(plan_waves(plan, 8), (std::vector<Wave>{{0}, {1}, {2}, {3}}));
}

TEST(Waves, WritersOfPartsDoNotWait) {
  Plan plan = branched(1, 1);
  plan.buffers = {plan.buffers[0], plan.buffers[1], temporary(0, 2)};
  plan.steps = {add(0, 0, 2), add(0, 0, 2), add(2, 2, 1)};
  EXPECT_EQ(plan_waves(plan, 8), (std::vector<Wave>{{0, 1}, {2}}));
}

// A step that writes the last part of a buffer, and then reads all of it.
TEST(Waves, AWriterOfAPartThatReadsTheOthersWaits) {
  Plan plan = branched(1, 1);
  plan.buffers = {plan.buffers[0], plan.buffers[1], temporary(0, 2)};
  plan.steps = {add(0, 0, 2), add(0, 0, 2), add(0, 0, 2)};
  plan.steps[1].buffers = {0, 0, 2, 1}, plan.steps[1].output_count = 2, plan.steps[1].reads_back = {2};
  EXPECT_EQ(plan_waves(plan, 8), (std::vector<Wave>{{0}, {1}, {2}}));
  plan.steps[1].reads_back.clear();
  EXPECT_EQ(plan_waves(plan, 8), (std::vector<Wave>{{0, 1, 2}}));
}

TEST(Waves, WhatGoesTogetherRunsAtOnce) {
  Plan plan = branched(3, 2);
  std::vector<int32_t> together{0, -1, 0, -1, 0, -1, -1, -1};
  EXPECT_EQ(plan_waves(plan, 1, together), (std::vector<Wave>{{0, 2, 4}, {1}, {3}, {5}, {6}, {7}}));
  EXPECT_EQ(plan_waves(plan, 2, together), (std::vector<Wave>{{0, 2, 4}, {1, 3}, {5, 6}, {7}}));
  plan.steps[4].buffers = {2, 2, plan.steps[4].buffers[2]};  // reads what step 0 writes
  EXPECT_EQ(plan_waves(plan, 1, together), (std::vector<Wave>{{0, 2}, {1}, {3}, {4}, {5}, {6}, {7}}));
}

TEST(Waves, WritersOfTemporariesHaveALimitOfTheirOwn) {
  Plan plan = branched(3, 2);  // step 7 alone writes no temporary
  EXPECT_EQ(plan_waves(plan, 8, {}, 2), (std::vector<Wave>{{0, 2}, {1, 3}, {4, 6}, {5}, {7}}));
  EXPECT_EQ(plan_waves(plan, 8, {}, 1), plan_waves(plan, 1));
  plan.steps[2].buffers[2] = plan.steps[4].buffers[2] = 1;  // these write parts of the output
  EXPECT_EQ(plan_waves(plan, 8, {}, 1)[0], (Wave{0, 2, 4}));
}

TEST(Waves, LifetimesGrowToWhatRunsAtOnce) {
  const Plan plan = branched(3, 2);
  const auto waves = plan_waves(plan, 8);
  const auto buffers = lifetimes_in_waves(plan, waves);
  for (size_t b : {2, 4, 6}) EXPECT_EQ(std::pair(buffers[b].first_step, buffers[b].last_step), std::pair(0, 1));
  EXPECT_EQ(std::pair(buffers[3].first_step, buffers[3].last_step), std::pair(1, 2));
  EXPECT_EQ(std::pair(buffers[7].first_step, buffers[7].last_step), std::pair(1, 3));
}

TEST(Waves, SameResultsForAnyNumberOfStreamsAndThreads) {
  TempDirectory directory;
  Plan plan = branched(5, 4);
  for (size_t s : {0, 4, 8}) plan.steps[s].product_of = 0;
  write_package(directory.path(), plan, kSource, {});
  const auto executable = Executable::load(directory.path());
  for (int64_t streams : {1, 2, 5, 64})
    for (int64_t threads : {1, 2, 3}) {
      Session session(executable, {.threads = threads,
                                   .min_chunk_size = 16,
                                   .multistream_mode = streams > 1,
                                   .multistream_extra_streams = streams - 1});
      for (int64_t n : {1, 100, 5000}) {
        Tensor x(DType::f32, {n});
        for (int64_t i = 0; i < n; i++) x.as<float>()[i] = float(i);
        const TensorView inputs[] = {x.view()};
        const auto outputs = session.run(inputs);
        for (int64_t i = 0; i < n; i++) ASSERT_EQ(outputs[0].as<float>()[i], float(i) * 5 * 16) << streams << " " << n;
      }
    }
}

}  // namespace
}  // namespace cppgen::rt::test
