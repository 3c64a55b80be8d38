// Settings of what the threads of a session do at the same time, seen by what kernels record.
#include <algorithm>
#include <ctime>

#include "runtime/session/session.h"
#include "runtime/threads/topology.h"
#include "runtime/values/npy.h"
#include "tests/runtime/test_package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

// Each step writes its own output.
rt::Plan independent_steps(int count, const char* kernel) {
  rt::Plan plan;
  plan.model = "independent", plan.isa = "scalar", plan.objects = {"kernels_0.so"};
  for (int32_t i = 0; i < count; i++) {
    plan.outputs.push_back({"y" + std::to_string(i), DType::f32, {rt::test::num(1)}, 0});
    plan.buffers.push_back({rt::PlanBufferKind::output, i, 0, rt::test::num(4), 0, 0, -1});
    rt::Step step;
    step.name = kernel, step.engine = "loops", step.object = 0, step.buffers = {i}, step.output_count = 1;
    step.range = rt::test::num(1), step.unit_work = rt::test::num(1);
    plan.steps.push_back(step);
  }
  return plan;
}

// Writes how many of these kernels have run at the same time at most. Each one waits until there are $TOGETHER, and
// then for a moment, in which there could be more.
constexpr const char* kTogether = R"(
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
static std::atomic<int> running{0}, most{0};
extern "C" void together(const cppgen_kernel_args* args, long, long) {
  const auto moment = std::chrono::milliseconds(20);
  const int now = ++running;
  for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
  }
  for (int i = 0; i < 500 && most < std::atoi(std::getenv("TOGETHER")); i++) std::this_thread::sleep_for(moment);
  std::this_thread::sleep_for(moment);
  running--;
  *(float*)args->buffers[0] = float(most);
}
)";

constexpr int kSteps = 8;

float greatest_output(const std::string& folder) {
  float greatest = 0;
  for (int i = 0; i < kSteps; i++)
    greatest = std::max(greatest, rt::read_npy(folder + "/out_" + std::to_string(i) + ".npy").as<float>()[0]);
  return greatest;
}

TEST_F(SettingEffect, MULTISTREAM_MODE) {
  rt::test::write_package(path("package"), independent_steps(kSteps, "together"), kTogether, {});
  environment["CPPGEN_THREADS"] = std::to_string(kSteps);
  const auto together = [&] {
    environment["TOGETHER"] = settings().multistream_mode ? "5" : "1";
    succeed({"run", path("package"), "--output", path("out")});
    return greatest_output(path("out"));
  };
  expect_effect<float>("1", together, 1, 5);
}

TEST_F(SettingEffect, MULTISTREAM_EXTRA_STREAMS) {
  rt::test::write_package(path("package"), independent_steps(kSteps, "together"), kTogether, {});
  environment["CPPGEN_THREADS"] = std::to_string(kSteps);
  environment["CPPGEN_MULTISTREAM_MODE"] = "1";
  const auto together = [&] {
    environment["TOGETHER"] = std::to_string(1 + settings().multistream_extra_streams);
    succeed({"run", path("package"), "--output", path("out")});
    return greatest_output(path("out"));
  };
  expect_effect<float>("2", together, 5, 3);
  expect_effect<float>("6", together, 5, 7);
}

constexpr const char* kSleep = R"(
#include <atomic>
#include <chrono>
#include <thread>
static std::atomic<int> working{0};
extern "C" void work(const cppgen_kernel_args*, long, long) {
  working++;
  for (int i = 0; i < 5000 && working < 2; i++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
extern "C" void wait(const cppgen_kernel_args*, long, long) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  working = 0;
}
)";

// A step that begins when both threads take part, and one in which the only thread that has work sleeps. Whether the
// other one keeps a processor busy meanwhile, in one of several runs.
TEST_F(SettingEffect, SPIN_MICROSECONDS) {
  if (rt::core_count(rt::usable_topology()) < 2) GTEST_SKIP() << "one core, on which threads do not spin";
  rt::Plan plan = independent_steps(2, "work");
  plan.steps[0].range = rt::test::num(2), plan.steps[0].unit_work = rt::test::num(1 << 20);
  plan.steps[0].flops = rt::test::num(1 << 30), plan.steps[1].name = "wait";
  rt::test::write_package(path("package"), plan, kSleep, {});
  environment["CPPGEN_THREADS"] = "2";
  const auto executable = rt::Executable::load(path("package"));
  const auto spins = [&] {
    rt::Session session(executable, rt::SessionOptions::from(settings()));
    for (int run = 0; run < 10; run++) {
      const std::clock_t begin = std::clock();  // processor time of all threads
      session.run(std::vector<rt::TensorView>{});
      if (double(std::clock() - begin) / CLOCKS_PER_SEC > 0.02) return true;
    }
    return false;
  };
  expect_effect<bool>("1000", spins, false, false);
  expect_effect<bool>("1000000", spins, false, true);
}

}  // namespace
}  // namespace cppgen
