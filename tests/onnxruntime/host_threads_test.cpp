#include "cppgen/onnxruntime/host_threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

namespace cppgen::ep {
namespace {

// ONNX Runtime's loops: by the calling thread alone, as in a session with one thread, and with a thread for each
// iteration.
ort::Status* alone(const ort::KernelContext*, void (*function)(void*, size_t), size_t count, size_t, void* data) {
  for (size_t i = 0; i < count; i++) function(data, i);
  return nullptr;
}
ort::Status* together(const ort::KernelContext*, void (*function)(void*, size_t), size_t count, size_t, void* data) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < count; i++) threads.emplace_back(function, data, i);
  function(data, 0);
  for (std::thread& thread : threads) thread.join();
  return nullptr;
}

class HostThreadsTest : public ::testing::TestWithParam<decltype(&alone)> {
 protected:
  void SetUp() override {
    std::memset(static_cast<void*>(&api_), 0, sizeof api_);
    api_.KernelContext_ParallelFor = GetParam();
  }
  static void count_call(void* calls) { ++*static_cast<std::atomic<int>*>(calls); }

  ort::Api api_;
  HostThreads threads_{4};
  cppgen_executor executor_ = threads_.executor();
};

TEST_P(HostThreadsTest, RunsWithoutHelp) {
  int runs = 0;
  EXPECT_FALSE(threads_.run(api_, nullptr, true, [&] { runs++; }));
  EXPECT_EQ(runs, 1);
}

TEST_P(HostThreadsTest, MakesEachCallThatItArranged) {
  for (int round = 0; round < 100; round++) {
    std::atomic<int> calls{0};
    int arranged = 0;
    EXPECT_TRUE(threads_.run(api_, nullptr, true, [&] {
      arranged = executor_.bring(executor_.context, 10, count_call, &calls);
      EXPECT_GE(arranged, 1);
      EXPECT_LE(arranged, 3);
      arranged += executor_.bring(executor_.context, 1, count_call, &calls);
    }));
    EXPECT_EQ(calls, arranged);
  }
}

TEST_P(HostThreadsTest, WakesThreadsThatFellAsleep) {
  std::atomic<int> calls{0};
  EXPECT_TRUE(threads_.run(api_, nullptr, true, [&] {
    for (int i = 0; i < 3; i++) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(executor_.bring(executor_.context, 1, count_call, &calls), 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }));
  EXPECT_EQ(calls, 3);
}

TEST_P(HostThreadsTest, TellsThatAShortRunWantedHelp) {
  std::atomic<int> calls{0};
  EXPECT_TRUE(threads_.run(api_, nullptr, false,
                           [&] { EXPECT_EQ(executor_.bring(executor_.context, 2, count_call, &calls), 0); }));
  EXPECT_FALSE(threads_.run(api_, nullptr, false, [] {}));
  EXPECT_EQ(calls, 0);
}

TEST_P(HostThreadsTest, ThrowsWhatTheRunThrows) {
  for (const bool with_help : {false, true})
    EXPECT_THROW(threads_.run(api_, nullptr, with_help, [] { throw std::runtime_error("no"); }), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Loops, HostThreadsTest, ::testing::Values(&alone, &together));

}  // namespace
}  // namespace cppgen::ep
