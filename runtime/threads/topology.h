#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/machine.h"

namespace cppgen::rt {

// Operating system numbers of hardware threads, ascending.
using CpuSet = std::vector<int>;

// One hardware thread. `core`, `numa` and `package` number the whole machine's cores, memory nodes and sockets.
struct ProcessingUnit {
  int cpu;  // operating system number
  int core;
  int sibling;  // 0 for the first hardware thread of its core, 1 for the second ...
  int numa;
  int package;
};

// The hardware threads of a machine, neighbours in the memory hierarchy next to each other, and what limits their use.
struct Topology {
  std::vector<ProcessingUnit> units;
  std::optional<double> cpu_limit;  // CPU time granted by control groups, in CPUs
  MachineDescription caches;        // cache fields only; machine_description() fills the counts
};

// This machine, another one described as hwloc does ("package:2 core:4 pu:2"), or an hwloc XML export. UserError when
// hwloc cannot read the description.
Topology topology_of_this_machine();
Topology topology_from_synthetic(const std::string& description);
Topology topology_from_xml(const std::string& xml);

// What one process may use. An empty affinity set stands for all.
struct CpuLimits {
  CpuSet affinity;
  std::optional<double> cpu_limit;
};

// Of the calling thread; `root` stands in front of the files of the control groups.
CpuLimits current_cpu_limits(const std::string& root = "");

// The part of the machine that the limits leave. A mask that leaves nothing is ignored.
Topology usable_topology(Topology machine, const CpuLimits& limits);

// This machine within the limits of this process.
Topology usable_topology();

int core_count(const Topology&);  // distinct physical cores

// One thread per physical core, or per hardware thread with `smt`, no more than the CPU limit rounded up, at least 1.
int default_threads(const Topology& usable, bool smt);

MachineDescription machine_description(const Topology& usable);

// The values of AFFINITY.
enum class Affinity { none, core, pu, numa };
Affinity affinity_from_name(std::string_view name);  // UserError for other names

// For each of `threads` workers the hardware threads it is bound to; no sets for `none`. Workers fill cores (or first
// hardware threads, then second ones) in the order of the topology and start over when there are more workers.
std::vector<CpuSet> binding_sets(const Topology& usable, Affinity affinity, int threads);

}  // namespace cppgen::rt
