// A repeated run with the same dimensions allocates nothing, on no thread. Counts every allocation of the process by
// standing in front of the C library's own functions.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>

#include "runtime/session/session.h"
#include "tests/runtime/test_package.h"

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocations++;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  allocations++;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}

namespace cppgen::rt::test {

TEST(Allocations, CountingWorks) {
  const long before = allocations;
  delete new std::string(1000, 'x');
  EXPECT_GE(allocations - before, 2);
}

TEST(Allocations, NoneInARepeatedRun) {
  TempDirectory directory;
  write_package(directory.path(), two_step_plan(), kTwoStepSource, kTwoStepWeights);
  for (const int threads : {1, 2}) {
    Session session(Executable::load(directory.path()), {.threads = threads});
    std::vector<Tensor> x, y;
    for (int64_t n : {3, 50000}) {
      x.emplace_back(DType::f32, std::vector<int64_t>{n, 4});
      y.emplace_back(DType::f32, std::vector<int64_t>{n, 4});
      std::fill_n(x.back().as<float>(), 4 * n, 1.0f);
    }
    const auto run = [&](size_t i) {
      const TensorView inputs[] = {x[i].view()};
      const OutputView outputs[] = {y[i].output()};
      session.run(inputs, outputs);
    };
    for (int warm_up = 0; warm_up < 50; warm_up++)
      for (size_t i : {0, 1}) run(i);
    const long before = allocations;
    for (int repeat = 0; repeat < 200; repeat++)
      for (size_t i : {0, 1}) run(i);
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
  }
}

}  // namespace cppgen::rt::test
