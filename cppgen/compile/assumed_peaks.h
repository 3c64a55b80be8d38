#pragma once
#include <string_view>

#include "cppgen/compile/peaks.h"

namespace cppgen {

// GHz of the first CPU by its maximum in sysfs, otherwise by /proc/cpuinfo; 2.5 if neither says it.
double cpu_ghz();
// Does the same for the texts of "cpuinfo_max_freq" (kHz) and /proc/cpuinfo, either of which may be empty.
double cpu_ghz(std::string_view max_freq, std::string_view cpuinfo);

// Rates that a machine of this description probably reaches with `threads` threads, for a machine whose peaks were not
// measured: two vector instructions of arithmetic per cycle, and usual numbers of bytes per cycle from each cache.
MachinePeaks assumed_peaks(const VecISA&, int threads, const MachineDescription&, double ghz);

}  // namespace cppgen
