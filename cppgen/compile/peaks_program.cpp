#include "cppgen/compile/peaks_program.h"

namespace cppgen {

const char* const kPeaksProgram = R"cpp(
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

  using namespace vec;

  static int threads;
  static pthread_barrier_t barrier;
  static volatile float sink;

  enum Work { products, loading, reading, copying };
  static Work work;
  static long repetitions, floats;  // of each thread

  static double now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
  }

  constexpr int kChains = 12;  // hide the latency of a multiply-add; they and the operands fit 16 registers

  static float multiply(long n) {
    V<f32> sums[kChains], x = set1<f32>(0.5f), y = set1<f32>(1 + sink);  // which keeps sums above subnormal numbers
    for (int i = 0; i < kChains; i++) sums[i] = set1<f32>(f32(i));
    for (long k = 0; k < n; k++)
#pragma GCC unroll 16
      for (int i = 0; i < kChains; i++) sums[i] = mul_add(x, sums[i], y);
    for (int i = 1; i < kChains; i++) sums[0] = sums[0] + sums[i];
    return lane(sums[0], 0);
  }

  constexpr int kNear = 4;  // vectors from which neighbouring ones are loaded

  // Like the taps of a convolution.
  static float multiply_loaded(const float* p, long n) {
    V<f32> sums[kChains], x = set1<f32>(sink);
    for (int i = 0; i < kChains; i++) sums[i] = set1<f32>(f32(i));
    for (long k = 0; k < n; k++) {
      const float* from = p + (k % kNear) * kChains * L + 1 + k % kNear;
#pragma GCC unroll 16
      for (int i = 0; i < kChains; i++) sums[i] = mul_add(x, load(from + i * L), sums[i]);
    }
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
      if (work == loading) sink = multiply_loaded(memory, 1000);
      if (work == reading) sink = read(memory, floats);
      if (work == copying) sink = copy(memory, floats / 2);
    }
  }

  // A clock that rises under load takes some milliseconds to do so. A round takes milliseconds, because the threads
  // begin it up to some ten microseconds apart.
  constexpr int kRounds = 6;
  constexpr double kSeconds = 0.1;

  static bool enough;  // one thread says so, between two barriers

  // Seconds of the best round.
  static double measure(bool first, float* memory) {
    double best = 1e9;
    const double start = now();
    for (int i = 1;; i++) {
      pthread_barrier_wait(&barrier);
      const double begin = now();
      round(memory);
      pthread_barrier_wait(&barrier);
      const double seconds = now() - begin;
      if (seconds < best) best = seconds;
      if (first) enough = i >= kRounds && now() - start > kSeconds;
      pthread_barrier_wait(&barrier);
      if (enough) return best;
    }
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

  static long turn;  // the number of the next answer

  // A thread that waits for long lets others run: on a busy machine, that may be the one which it waits for.
  static void answer(long mine, long trips) {
    for (long t = 0; t < trips; t++) {
      for (long waited = 0; __atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2 * t + mine; waited++)
        if (waited > 10000) sched_yield();
      __atomic_store_n(&turn, 2 * t + mine + 1, __ATOMIC_RELEASE);
    }
  }

  static void write(float* p, long n) {
    for (long k = 0; k < n; k += L) store(p + k, set1<f32>(sink));
  }

  static double median(double* values, int count) {
    for (int i = 1; i < count; i++)
      for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
        const double larger = values[k - 1];
        values[k - 1] = values[k], values[k] = larger;
      }
    return values[count / 2];
  }

  // The first thread writes what the second one has read, which then reads it: the rate of both. All other threads
  // wait. Medians: two threads on one core would be faster.
  static void exchange(long number, long count) {
    constexpr int kExchanges = 25;
    static float* memory;
    static double written, was_read;
    if (number == 0) memory = allocate(count);
    double both[kExchanges];
    for (int i = -1; i < kExchanges; i++) {
      pthread_barrier_wait(&barrier);
      double begin = now();
      if (number == 0) write(memory, count), written = now() - begin;
      pthread_barrier_wait(&barrier);
      begin = now();
      if (number == 1) sink = read(memory, count), was_read = now() - begin;
      pthread_barrier_wait(&barrier);
      if (i >= 0) both[i] = written + was_read;  // nothing had been read before the first
    }
    if (number == 0) printf("%.6g\n", 2 * 4e-9 * count / median(both, kExchanges));
  }

  static void answer_often(long number) {
    constexpr long kTrips = 200;
    constexpr int kTimes = 25, kFewTimes = 3;  // few if each takes long, because the machine is busy
    double trips[kTimes];
    const double start = now();
    for (int i = 0;; i++) {
      if (number == 0) turn = 0;
      pthread_barrier_wait(&barrier);
      const double begin = now();
      if (number < 2) answer(number, kTrips);
      trips[i] = (now() - begin) / kTrips;
      if (number == 0) enough = i + 1 == kTimes || (i + 1 >= kFewTimes && now() - start > kSeconds);
      pthread_barrier_wait(&barrier);
      if (!enough) continue;
      if (number == 0) printf("%.6g\n", 1e9 * median(trips, i + 1));
      return;
    }
  }

  constexpr long kHeldFloats = 64 << 10, kFarFloats = 1 << 20;

  static void run(const Levels& levels, long number) {
    const bool first = number == 0;
    constexpr long kProducts = 2000;
    set(first, products, kProducts, 0);
    const double seconds = measure(first, nullptr);
    if (first) printf("%.6g\n", 2e-9 * L * kChains * 1000 * kProducts * threads / seconds);
    float* near = allocate((kNear + 1) * kChains * L);
    set(first, loading, kProducts, 0);
    const double loading_seconds = measure(first, near);
    if (first) printf("%.6g\n", 1e-9 * kChains * 1000 * kProducts * threads / loading_seconds);
    for (int i = 0; i < levels.count; i++) {
      const long unit = 8 * L, count = atol(levels.bytes[i]) / 4 / (2 * unit) * (2 * unit);
      float* memory = allocate(count);
      double best = 1e9;
      const long repeated = (128 << 20) / (4 * count) + 1;
      for (int w = reading; w <= copying; w++) {
        set(first, Work(w), repeated, count);
        const double seconds = measure(first, memory);
        if (seconds < best) best = seconds;
      }
      if (first) printf("%.6g\n", 4e-9 * count * repeated * threads / best);
      munmap(memory, size_t(count) * 4);
    }
    if (threads == 1) return;
    exchange(number, kHeldFloats);
    exchange(number, kFarFloats);
    answer_often(number);
  }

  static Levels levels;

  static void* other(void* number) {
    run(levels, reinterpret_cast<long>(number));
    return nullptr;
  }

  int main(int argc, char** argv) {
    threads = atoi(argv[1]);
    levels = {argc - 2, argv + 2};
    pthread_barrier_init(&barrier, nullptr, threads);
    for (int i = 1; i < threads; i++) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, other, reinterpret_cast<void*>(long(i))) != 0) return 3;
    }
    run(levels, 0);
    return fflush(stdout) == 0 ? 0 : 4;
  }
)cpp";

}  // namespace cppgen
