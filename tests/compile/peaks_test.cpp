#include "cppgen/compile/peaks.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

TEST(Peaks, DataComeFromTheSmallestLevelThatHoldsThem) {
  MachinePeaks peaks;
  peaks.levels = {{"L2", 1000, 50}, {"L3", 8000, 20}, {"memory", 0, 10}};
  EXPECT_EQ(peaks.level_for(1000).name, "L2");
  EXPECT_EQ(peaks.level_for(1001).name, "L3");
  EXPECT_EQ(peaks.level_for(1e12).name, "memory");
}

TEST(Peaks, AreMeasuredOnceAndKept) {
  const TempDirectory folder(system_temp_directory(), "peaks-test-");
  MachineDescription machine;
  machine.l3_bytes = 4 << 20;
  const PeaksRequest request{*find_isa("scalar"), 2, machine, Toolchain::find("g++"), folder.path(), false, nullptr};
  EXPECT_FALSE(known_peaks(request));
  PosixProcessRunner runner;
  const MachinePeaks measured = machine_peaks(request, runner);
  EXPECT_GT(measured.gflops, 0);
  ASSERT_EQ(measured.levels.size(), 3u);
  for (const MachinePeaks::Level& level : measured.levels) EXPECT_GT(level.gb_per_second, 0) << level.name;
  EXPECT_GT(measured.loads_per_ns, 0);
  EXPECT_GT(measured.exchange_gb_per_second, 0);
  EXPECT_GT(measured.far_exchange_gb_per_second, 0);
  EXPECT_GT(measured.round_trip_ns, 1) << "not even the speed of light";
  const int64_t started = runner.started();
  EXPECT_EQ(machine_peaks(request, runner).gflops, measured.gflops);
  EXPECT_EQ(runner.started(), started) << "measured again";
  // Other threads, other peaks.
  EXPECT_FALSE(known_peaks({request.isa, 1, machine, request.toolchain, request.cache_dir, false, nullptr}));
  for (const auto& file : std::filesystem::directory_iterator(folder.path() + "/peaks"))
    ASSERT_EQ(write_file(file.path().string(), "12 abc"), 0);
  EXPECT_FALSE(known_peaks(request)) << "a damaged file";
}

// A machine on which others use all CPUs, or none.
CpuUseSource others_use(double cpus) {
  return [cpus, at = 0.0]() mutable -> std::optional<CpuUse> {
    CpuUse use;
    use.cpus = 2, use.at = at += 100, use.all = cpus * use.at;
    return use;
  };
}

TEST(Peaks, OfABusyMachineAreMeasuredAgainWhenItIsQuiet) {
  const TempDirectory folder(system_temp_directory(), "peaks-test-");
  PeaksRequest request{*find_isa("scalar"), 1, {}, Toolchain::find("g++"), folder.path(), false, others_use(2)};
  PosixProcessRunner runner;
  const MachinePeaks disturbed = machine_peaks(request, runner);
  EXPECT_TRUE(disturbed.under_load);
  EXPECT_EQ(runner.started(), 4) << "the compiler, and three measurements";
  EXPECT_TRUE(known_peaks(request)->under_load) << "the mark is kept";
  EXPECT_TRUE(machine_peaks(request, runner).under_load);
  EXPECT_EQ(runner.started(), 4) << "the machine is still busy";
  request.load = others_use(0);
  const MachinePeaks quiet = machine_peaks(request, runner);
  EXPECT_EQ(runner.started(), 6) << "one measurement is enough";
  EXPECT_FALSE(quiet.under_load);
  EXPECT_GE(quiet.gflops, disturbed.gflops) << "what was reached was reached";
  EXPECT_FALSE(known_peaks(request)->under_load);
  (void)machine_peaks(request, runner);
  EXPECT_EQ(runner.started(), 6);
  request.renew = true;
  (void)machine_peaks(request, runner);
  EXPECT_EQ(runner.started(), 8);
  EXPECT_EQ(clear_peaks(folder.path()), 1);
  EXPECT_FALSE(known_peaks(request));
}

TEST(Peaks, WithoutACompilerThatWorksTheErrorSaysWhy) {
  PosixProcessRunner runner;
  const PeaksRequest request{*find_isa("scalar"), 1, {}, Toolchain::find("false"), "", false, nullptr};
  try {
    machine_peaks(request, runner);
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the program that measures the peaks of this machine was not built: the compiler exited with status 1");
  }
}

}  // namespace
}  // namespace cppgen
