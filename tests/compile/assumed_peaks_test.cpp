#include "cppgen/compile/assumed_peaks.h"

#include <gtest/gtest.h>

namespace cppgen {
namespace {

TEST(AssumedPeaks, TheFrequencyIsTheGreatestThatTheSystemStates) {
  EXPECT_DOUBLE_EQ(cpu_ghz("3700000\n", "cpu MHz\t\t: 1200.000\n"), 3.7);
  EXPECT_DOUBLE_EQ(cpu_ghz("", "model name\t: A\ncpu MHz\t\t: 2100.500\ncpu MHz\t\t: 900\n"), 2.1005);
  for (const char* unknown : {"", "model name\t: A\n", "cpu MHz", "cpu MHz\t\t: fast\n"})
    EXPECT_DOUBLE_EQ(cpu_ghz("", unknown), 2.5) << unknown;
  EXPECT_GT(cpu_ghz(), 0.1);
}

TEST(AssumedPeaks, GrowWithCoresLanesAndFrequency) {
  MachineDescription machine;
  machine.cores = 4, machine.hardware_threads = 8, machine.l3_bytes = 16 << 20, machine.l3_cores = 4;
  const VecISA &scalar = *find_isa("scalar"), &avx2 = *find_isa("avx2");
  const MachinePeaks one = assumed_peaks(avx2, 1, machine, 2);
  EXPECT_DOUBLE_EQ(one.gflops, 8 * 2 * 2 * 2);  // lanes, operations, instructions per cycle, GHz
  EXPECT_DOUBLE_EQ(assumed_peaks(avx2, 4, machine, 3).gflops, one.gflops * 4 * 1.5);
  EXPECT_DOUBLE_EQ(assumed_peaks(avx2, 8, machine, 2).gflops, one.gflops * 4) << "hardware threads share a core";
  EXPECT_DOUBLE_EQ(assumed_peaks(scalar, 1, machine, 2).gflops, one.gflops / 16) << "without FMA";
  ASSERT_EQ(one.levels.size(), 3u);
  for (size_t i = 1; i < one.levels.size(); i++)
    EXPECT_LT(one.levels[i].gb_per_second, one.levels[i - 1].gb_per_second);
  EXPECT_EQ(one.levels.back().bytes, 0);
  EXPECT_EQ(one.level_for(1e12).name, "memory");
  EXPECT_EQ(assumed_peaks(avx2, 4, machine, 2).levels[0].bytes, 4 * machine.l2_bytes);
}

}  // namespace
}  // namespace cppgen
