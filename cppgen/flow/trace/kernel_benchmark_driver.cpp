#include "cppgen/flow/trace/kernel_benchmark_driver.h"

namespace cppgen {

const char* const kKernelBenchmarkDriver =
    R"driver(// Times one kernel on one thread: each run computes all of its units.
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "runtime/abi/abi.h"

enum class Fill { constant, float32, float64, float16, bfloat16, float8, float4, integer };

struct Argument {
  Fill fill;
  int width;    // bytes of an element
  long bytes;   // of the whole buffer
  long extent;  // integers are at least 0 and less than this
  long offset;  // of a constant, in the file of constants
};

struct Benchmark {
  const char* name;
  void (*kernel)(const cppgen_kernel_args*, long begin, long end);
  std::vector<Argument> arguments;
  std::vector<long> params;
  long units, scratch_bytes;
  double flops, bytes;    // of one run
  const char* constants;  // file name, in the folder above
  const cppgen_runtime* runtime;
};

inline uint64_t next_random() {
  static uint64_t state = 0x9e3779b97f4a7c15u;  // xorshift64
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

// From -1 to 1, so that sums and functions stay finite.
inline double random_float() { return double(int64_t(next_random() >> 11)) / double(1l << 52) - 1; }

inline void store_random(const Argument& argument, char* at) {
  const uint64_t random = next_random();
  const double number = random_float();
  const float single = float(number);
  uint64_t bits = 0;
  switch (argument.fill) {
    case Fill::float32:
      memcpy(at, &single, 4);
      return;
    case Fill::float64:
      memcpy(at, &number, 8);
      return;
    case Fill::float16:
      bits = (random & 0x83ff) | (13 + random % 3) << 10;
      break;  // 0.25 to 2
    case Fill::bfloat16:
      bits = (random & 0x807f) | (125 + random % 3) << 7;
      break;  // likewise
    case Fill::float8:
      bits = 0x30 + random % 16;
      break;  // finite in all formats
    case Fill::float4:
      bits = random % 16;
      break;
    default:
      bits = random % uint64_t(std::max(argument.extent, 1l));
  }
  memcpy(at, &bits, size_t(argument.width));
}

inline char* allocate(long bytes) {
  const size_t rounded = (size_t(std::max(bytes, 1l)) + 63) / 64 * 64;
  char* memory = static_cast<char*>(aligned_alloc(64, rounded));
  if (!memory) fprintf(stderr, "out of memory: %ld bytes\n", bytes), exit(2);
  memset(memory, 0, rounded);
  return memory;
}

// The file next to the folder of this program.
inline const char* map_constants(const char* file) {
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  std::string path(program, size_t(std::max<ssize_t>(length, 0)));
  path = path.substr(0, path.rfind('/')) + "/../" + file;
  const int fd = open(path.c_str(), O_RDONLY);
  const off_t bytes = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
  void* memory = bytes > 0 ? mmap(nullptr, size_t(bytes), PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : MAP_FAILED;
  if (memory == MAP_FAILED) fprintf(stderr, "%s: cannot be read\n", path.c_str()), exit(2);
  return static_cast<const char*>(memory);
}

inline std::vector<void*> make_buffers(const Benchmark& benchmark) {
  std::vector<void*> buffers;
  const char* constants = nullptr;
  for (const Argument& argument : benchmark.arguments) {
    if (argument.fill == Fill::constant) {
      if (!constants) constants = map_constants(benchmark.constants);
      buffers.push_back(const_cast<char*>(constants + argument.offset));
      continue;
    }
    char* memory = allocate(argument.bytes);
    for (long at = 0; at + argument.width <= argument.bytes; at += argument.width) store_random(argument, memory + at);
    buffers.push_back(memory);
  }
  return buffers;
}

// `./benchmark [RUNS]`: as many runs, or as fit half a second. Prints the median and the least time of a run.
inline int time_kernel(const Benchmark& benchmark, int argc, char** argv) {
  const std::vector<void*> buffers = make_buffers(benchmark);
  int error = 0;
  const cppgen_kernel_args args{buffers.data(), benchmark.params.data(), benchmark.runtime, &error,
                                allocate(benchmark.scratch_bytes)};
  const long wanted = argc > 1 ? atol(argv[1]) : 0;
  if (argc > 2 || (argc > 1 && wanted < 1)) return fprintf(stderr, "usage: %s [RUNS]\n", argv[0]), 2;
  std::vector<double> times;
  double total = 0;
  for (long run = -1; wanted > 0 ? run < wanted : run < 10 || (total < 0.5 && run < 100000); run++) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark.kernel(&args, 0, benchmark.units);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (error) return fprintf(stderr, "%s: check %d failed: an index was out of range\n", benchmark.name, error), 1;
    if (run < 0) continue;  // the first one reads memory for the first time
    times.push_back(seconds.count());
    total += seconds.count();
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  printf("%s: %ld units, %zu runs, median %.3f us, least %.3f us, %.2f GB/s, %.2f GFLOP/s\n", benchmark.name,
         benchmark.units, times.size(), median * 1e6, times[0] * 1e6, benchmark.bytes / median / 1e9,
         benchmark.flops / median / 1e9);
  return 0;
}
)driver";

}  // namespace cppgen
