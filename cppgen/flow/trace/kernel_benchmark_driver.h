#pragma once

namespace cppgen {

// The header that the programs of BENCHMARK_KERNEL share: arguments with random values, and a loop that times.
extern const char* const kKernelBenchmarkDriver;

}  // namespace cppgen
