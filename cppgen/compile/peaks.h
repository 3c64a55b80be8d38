#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/toolchain.h"
#include "cppgen/support/load_meter.h"
#include "cppgen/support/subprocess.h"
#include "isa/vec_isa.h"
#include "runtime/base/machine.h"

namespace cppgen {

// The highest rates that threads of this machine reach together, measured.
struct MachinePeaks {
  struct Level {
    std::string name;          // "L2", "L3", "memory"
    int64_t bytes = 0;         // what it holds for all threads; 0 for memory: without limit
    double gb_per_second = 0;  // reading, or copying (bytes read and written) if that is faster
  };
  double gflops = 0;           // float32 multiply-adds, each of which counts as two
  double loads_per_ns = 0;     // of vectors that are not aligned, from the first level, each with a multiply-add
  std::vector<Level> levels;   // from the smallest
  int threads = 1, lanes = 1;  // float32 lanes of a vector
  // Between two threads; 0 if there is only one.
  double exchange_gb_per_second = 0;      // of data that one writes and the other reads, in turns
  double far_exchange_gb_per_second = 0;  // of more data than their second levels hold
  double round_trip_ns = 0;               // of a number that one writes, and the other answers
  bool under_load = false;                // other programs disturbed every measurement: they may be too low

  double instructions_per_ns() const { return gflops / (2 * lanes); }  // multiply-adds of vectors

  // The rate for data of so many bytes that are used over and over.
  const Level& level_for(double bytes) const;
};

// The levels that so many threads use together, without their rates.
std::vector<MachinePeaks::Level> cache_levels(const MachineDescription&, int threads);

// States how the peaks are measured, and where they are kept.
struct PeaksRequest {
  const VecISA& isa;
  int threads;
  MachineDescription machine;
  Toolchain toolchain;
  std::string cache_dir;  // empty: they are measured each time
  bool renew = false;     // measure them even if they are kept
  CpuUseSource load = cpu_use;
};

// "model name" of /proc/cpuinfo; empty if it is not there.
std::string cpu_model();

// The peaks for kernels of this instruction set on `threads` threads. They are measured once (a second), by a program
// that the compiler builds, and kept in "<cache_dir>/peaks" by compiler, instruction set, CPU and threads. On a busy
// machine they are the best of several measurements (load_meter.h); if all were disturbed, they are measured again as
// soon as the machine is quiet when somebody asks for them. UserError if the program cannot be built or fails.
MachinePeaks machine_peaks(const PeaksRequest&, ProcessRunner&);

// Those that were kept; no process is started.
std::optional<MachinePeaks> known_peaks(const PeaksRequest&);

// Removes all that are kept; returns their number.
int64_t clear_peaks(const std::string& cache_dir);

}  // namespace cppgen
