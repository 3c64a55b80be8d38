#include "cppgen/compile/peaks_program.h"

namespace cppgen {

const char* const kPeaksProgram = R"cpp(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

  using namespace vec;

  static int threads;
  static pthread_barrier_t barrier;
  static volatile float sink;

  enum Work { products, reading, copying };
  static Work work;
  static long repetitions, floats;  // of each thread

  static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
  }

  constexpr int kChains = 12;  // hide the latency of a multiply-add; they and the operands fit 16 registers

  static float multiply(long n) {
    V<f32> sums[kChains], x = set1<f32>(0.5f), y = set1<f32>(sink);
    for (int i = 0; i < kChains; i++) sums[i] = set1<f32>(f32(i));
    for (long k = 0; k < n; k++)
#pragma GCC unroll 16
      for (int i = 0; i < kChains; i++) sums[i] = mul_add(x, sums[i], y);
    for (int i = 1; i < kChains; i++) sums[0] = sums[0] + sums[i];
    return lane(sums[0], 0);
  }

  static float read(const float* p, long n) {
    V<f32> sums[8];
    for (int i = 0; i < 8; i++) sums[i] = set1<f32>(0);
    for (long k = 0; k < n; k += 8 * L)
#pragma GCC unroll 8
      for (int i = 0; i < 8; i++) sums[i] = sums[i] + load(p + k + i * L);
    for (int i = 1; i < 8; i++) sums[0] = sums[0] + sums[i];
    return lane(sums[0], 0);
  }

  static float copy(float* p, long n) {
    const float* from = p + n;
    for (long k = 0; k < n; k += 4 * L)
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) store(p + k + i * L, load(from + k + i * L));
    return p[0];
  }

  static void round(float* memory) {
    for (long r = 0; r < repetitions; r++) {
      if (work == products) sink = multiply(1000);
      if (work == reading) sink = read(memory, floats);
      if (work == copying) sink = copy(memory, floats / 2);
    }
  }

  constexpr int kRounds = 6;

  // Seconds of the best round.
  static double measure(float* memory) {
    double best = 1e9;
    for (int i = 0; i < kRounds; i++) {
      pthread_barrier_wait(&barrier);
      const double begin = now();
      round(memory);
      pthread_barrier_wait(&barrier);
      const double seconds = now() - begin;
      if (seconds < best) best = seconds;
    }
    return best;
  }

  struct Levels {
    int count;
    char** bytes;
  };

  static float* allocate(long count) {
    void* p = mmap(nullptr, size_t(count) * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) exit(2);
    float* memory = static_cast<float*>(p);
    for (long i = 0; i < count; i++) memory[i] = 0;
    return memory;
  }

  // One thread says what is to be done, between two barriers.
  static void set(bool first, Work w, long r, long f) {
    pthread_barrier_wait(&barrier);
    if (first) work = w, repetitions = r, floats = f;
    pthread_barrier_wait(&barrier);
  }

  static void run(const Levels& levels, bool first) {
    set(first, products, 200, 0);
    const double seconds = measure(nullptr);
    if (first) printf("%.6g\n", 2e-9 * L * kChains * 1000 * 200 * threads / seconds);
    for (int i = 0; i < levels.count; i++) {
      const long unit = 8 * L, count = atol(levels.bytes[i]) / 4 / (2 * unit) * (2 * unit);
      float* memory = allocate(count);
      double best = 1e9;
      const long repeated = (16 << 20) / (4 * count) + 1;
      for (int w = reading; w <= copying; w++) {
        set(first, Work(w), repeated, count);
        const double seconds = measure(memory);
        if (seconds < best) best = seconds;
      }
      if (first) printf("%.6g\n", 4e-9 * count * repeated * threads / best);
      munmap(memory, size_t(count) * 4);
    }
  }

  static void* other(void* levels) {
    run(*static_cast<Levels*>(levels), false);
    return nullptr;
  }

  int main(int argc, char** argv) {
    threads = atoi(argv[1]);
    Levels levels{argc - 2, argv + 2};
    pthread_barrier_init(&barrier, nullptr, threads);
    for (int i = 1; i < threads; i++) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, other, &levels) != 0) return 3;
    }
    run(levels, true);
    return fflush(stdout) == 0 ? 0 : 4;
  }
)cpp";

}  // namespace cppgen
