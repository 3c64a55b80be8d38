#include "cppgen/compile/assumed_peaks.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "cppgen/support/file_io.h"

namespace cppgen {
namespace {

constexpr double kUsualGhz = 2.5;
constexpr double kInstructionsPerCycle = 2;
constexpr double kLoadsPerCycle = 1;                            // that are not aligned
constexpr double kL2BytesPerCycle = 32, kL3BytesPerCycle = 10;  // of each core
constexpr double kMemoryGbPerThread = 10, kMemoryGbPerNode = 50;
constexpr double kExchangeGb = 15, kRoundTripNs = 300;

}  // namespace

double cpu_ghz(std::string_view max_freq, std::string_view cpuinfo) {
  if (const double khz = std::strtod(std::string(max_freq).c_str(), nullptr); khz > 0) return khz / 1e6;
  const size_t line = cpuinfo.find("cpu MHz"), colon = cpuinfo.find(':', line);
  if (line == cpuinfo.npos || colon == cpuinfo.npos) return kUsualGhz;
  const double mhz = std::strtod(std::string(cpuinfo.substr(colon + 1, 32)).c_str(), nullptr);
  return mhz > 0 ? mhz / 1e3 : kUsualGhz;
}

double cpu_ghz() {
  return cpu_ghz(try_read_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").value_or(""),
                 try_read_file("/proc/cpuinfo").value_or(""));
}

MachinePeaks assumed_peaks(const VecISA& isa, int threads, const MachineDescription& machine, double ghz) {
  const double cores = std::min(threads, machine.cores);
  const bool fused = arch::kFusedMultiplyAdd == 0 || isa.required.has_any(arch::kFusedMultiplyAdd);
  const double operations = fused ? 2 : 1;  // of one instruction, for each lane
  const double lanes = std::max(isa.vector_bits / 32, 1);
  MachinePeaks peaks;
  peaks.threads = threads, peaks.lanes = int(lanes);
  peaks.gflops = cores * lanes * operations * kInstructionsPerCycle * ghz;
  peaks.levels = cache_levels(machine, threads);
  peaks.loads_per_ns = cores * kLoadsPerCycle * ghz;
  if (threads > 1) {
    peaks.exchange_gb_per_second = peaks.far_exchange_gb_per_second = kExchangeGb;
    peaks.round_trip_ns = kRoundTripNs;
  }
  for (MachinePeaks::Level& level : peaks.levels)
    level.gb_per_second = level.name == "L2" ? cores * kL2BytesPerCycle * ghz
                          : level.name == "L3"
                              ? cores * kL3BytesPerCycle * ghz
                              : std::min(cores * kMemoryGbPerThread, machine.numa_nodes * kMemoryGbPerNode);
  return peaks;
}

}  // namespace cppgen
