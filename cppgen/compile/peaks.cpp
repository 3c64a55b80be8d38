#include "cppgen/compile/peaks.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/compile/helper_program.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/hashing.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

// Arguments: the number of threads, then the bytes that each thread accesses, for each level. Prints the GFLOP/s, then
// the GB/s for each level. Each number is the best of several rounds, in which all threads start together.
constexpr const char* kSource = R"cpp(
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

// "model name" of /proc/cpuinfo; empty if it is not there.
std::string cpu_model() {
  const std::string text = try_read_file("/proc/cpuinfo").value_or("");
  const size_t at = text.find("model name");
  if (at == text.npos) return "";
  const size_t begin = std::min(text.find(':', at), text.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<MachinePeaks::Level> levels_of(const MachineDescription& machine, int threads) {
  const auto for_threads = [&](int64_t bytes, int cores) {
    return bytes * ((threads + cores - 1) / std::max(cores, 1));
  };
  std::vector<MachinePeaks::Level> levels;
  if (machine.l2_bytes) levels.push_back({"L2", for_threads(machine.l2_bytes, machine.l2_cores)});
  if (machine.l3_bytes) levels.push_back({"L3", for_threads(machine.l3_bytes, machine.l3_cores)});
  levels.push_back({"memory", 0});
  return levels;
}

// What one thread accesses: half of its share of a cache, which is also used for other data, and far more than all
// caches for memory.
int64_t measured_bytes(const std::vector<MachinePeaks::Level>& levels, size_t i, int threads) {
  if (levels[i].bytes) return levels[i].bytes / 2 / threads;
  const int64_t caches = i == 0 ? 0 : levels[i - 1].bytes;
  return std::clamp<int64_t>(4 * caches, int64_t(128) << 20, int64_t(1) << 30) / threads;
}

bool read_numbers(MachinePeaks& peaks, const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    const double number = std::strtod(at, &end);
    if (end == at) break;
    numbers.push_back(number);
  }
  if (numbers.size() != peaks.levels.size() + 1 || *std::min_element(numbers.begin(), numbers.end()) <= 0) return false;
  peaks.gflops = numbers[0];
  for (size_t i = 0; i < peaks.levels.size(); i++) peaks.levels[i].gb_per_second = numbers[i + 1];
  return true;
}

}  // namespace

const MachinePeaks::Level& MachinePeaks::level_for(double bytes) const {
  for (const Level& level : levels)
    if (level.bytes == 0 || bytes <= double(level.bytes)) return level;
  return levels.back();
}

MachinePeaks machine_peaks(const VecISA& isa, int threads, const MachineDescription& machine,
                           const Toolchain& toolchain, ProcessRunner& runner, const std::string& cache_dir) {
  MachinePeaks peaks;
  peaks.levels = levels_of(machine, threads);
  HelperProgram program{
      "peaks", fmt::format("#include \"vec/{}/vec.h\"\n#include \"vec/generic/kernel.h\"\n{}", isa.folder, kSource)};
  program.arguments = {std::to_string(threads)};
  for (size_t i = 0; i < peaks.levels.size(); i++)
    program.arguments.push_back(std::to_string(measured_bytes(peaks.levels, i, threads)));
  VecHeaders headers = VecHeaders::embedded(cache_dir);
  program.flags = {"-std=gnu++20", "-O3", "-fno-tree-loop-distribute-patterns", "-ffp-contract=off", "-w"};
  program.flags.insert(program.flags.end(), isa.compiler_flags.begin(), isa.compiler_flags.end());
  Hasher hasher;
  hasher.field("compiler", toolchain.identity).field("command", toolchain.command).field("flags", program.flags);
  hasher.field("source", program.source).field("headers", headers.hash()).field("arguments", program.arguments);
  const std::string folder = cache_dir + "/peaks", path = folder + "/" + hasher.field("cpu", cpu_model()).hex();
  if (!cache_dir.empty())
    if (const auto text = try_read_file(path); text && read_numbers(peaks, *text)) return peaks;

  program.flags.push_back("-I" + headers.path());
  const bool in_cache =
      !cache_dir.empty() && make_directories(cache_dir + "/tmp") == 0 && make_directories(folder) == 0;
  const HelperRun run =
      build_and_run(program, toolchain, runner, in_cache ? cache_dir + "/tmp" : system_temp_directory());
  if (!run.ran)
    user_error("the program that measures the peaks of this machine was not built: the compiler {}: {}",
               run.compiled.describe(), run.compiled.output);
  if (!run.ok() || !read_numbers(peaks, run.ran->output))
    user_error("the program that measures the peaks of this machine {}: {}", run.ran->describe(), run.ran->output);
  if (in_cache) (void)publish_file(path, run.ran->output);  // otherwise they are measured again next time
  return peaks;
}

}  // namespace cppgen
