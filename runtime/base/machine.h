#pragma once
#include <cstdint>

namespace cppgen {

// The machine as the compiler's cost models know it: a plain value, so that a schedule can be made for a different
// machine. Counts are of the hardware that this process may use; cache sizes are in bytes of one instance, or 0 if
// there is none.
struct MachineDescription {
  int cores = 1;             // physical
  int hardware_threads = 1;  // all hardware threads of these cores
  int numa_nodes = 1;
  int64_t l1d_bytes = 32 << 10;
  int64_t l2_bytes = 1 << 20;
  int64_t l3_bytes = 0;
  int l2_cores = 1;  // cores that share one L2
  int l3_cores = 1;  // cores that share one L3
  int64_t cache_line_bytes = 64;
};

}  // namespace cppgen
