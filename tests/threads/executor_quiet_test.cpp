// A run allocates nothing, and the threads of an idle executor sleep.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/threads/executor.h"

// Counts every allocation of the process, also those inside oneTBB. Sanitizers need malloc for themselves.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTS_ALLOCATIONS 1
static std::atomic<long> allocations{0};

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : 12;
}
}
#endif

namespace cppgen::rt {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void spend(void* ctx, int64_t, int) {
  auto end = std::chrono::steady_clock::now() + *static_cast<microseconds*>(ctx);
  while (std::chrono::steady_clock::now() < end) continue;
}

using Make = std::unique_ptr<Executor> (*)(ExecutorOptions);
const Make kMakes[] = {
#ifndef __SANITIZE_THREAD__
    make_tbb_executor,
#endif
    make_thread_pool_executor};

#ifdef COUNTS_ALLOCATIONS
TEST(QuietExecutor, RunsAllocateNothing) {
  for (Make make : kMakes) {
    auto executor = make({.threads = 4, .cores = 2});
    microseconds time(20);
    std::vector<StepView> steps{{1, spend, &time}, {8, spend, &time}, {3, spend, &time}, {1, spend, &time}};
    // Helpers come and go at random, so the pools of oneTBB are warm only after a while.
    auto some_runs = [&] {
      long before = allocations.load();
      for (int run = 0; run < 200; ++run) {
        executor->run(steps);
        if (run % 10 == 0) std::this_thread::sleep_for(milliseconds(1));
      }
      return allocations.load() - before;
    };
    long first = some_runs(), allocated = first;
    for (int attempt = 0; attempt < 5 && allocated != 0; ++attempt) allocated = some_runs();
    EXPECT_EQ(allocated, 0) << executor->backend() << ", first runs " << first;
  }
}

TEST(QuietExecutor, TheCounterSeesAllocations) {
  long before = allocations.load();
  auto made = make_executor({.threads = 2, .cores = 2});
  EXPECT_GT(allocations.load(), before);
}
#endif

// The states of this process's other threads, as in /proc/PID/stat: S sleeps, R runs or waits for a core.
std::string states_of_other_threads() {
  std::string states;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string stat;
    std::getline(std::ifstream(task.path() / "stat"), stat);
    if (task.path().filename() != std::to_string(gettid())) states += stat.substr(stat.rfind(") ") + 2, 1);
  }
  return states;
}

TEST(QuietExecutor, HelpersSleepAfterARun) {
  for (Make make : kMakes) {
    auto executor = make({.threads = 4, .cores = 4});
    microseconds time(50);
    std::vector<StepView> steps(50, StepView{8, spend, &time});
    executor->run(steps);
    std::string states;
    for (int look = 0; look < 1000; ++look) {
      states = states_of_other_threads();
      if (states.find_first_not_of('S') == states.npos) break;
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_EQ(states.find_first_not_of('S'), states.npos) << executor->backend() << " " << states;
    EXPECT_FALSE(states.empty()) << executor->backend();
  }
}

}  // namespace
}  // namespace cppgen::rt
