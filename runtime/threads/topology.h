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
  int efficiency = 0;  // of the kinds of cores of the machine: 0 for the slowest or only one, then 1 ...
};

// The hardware threads of a machine, ordered so that neighbours in the memory hierarchy are adjacent, and the limits on
// their use.
struct Topology {
  std::vector<ProcessingUnit> units;
  std::optional<double> cpu_limit;  // CPU time granted by control groups, in CPUs
  MachineDescription caches;        // cache fields only; machine_description() fills the counts
};

// This machine, with all hardware threads, whoever may use them. It is read once per process, when it is first needed,
// by any thread; hardware threads that are put into operation later are unknown. UserError if hwloc cannot read it.
const Topology& topology_of_this_machine();

// A machine in hwloc's synthetic format ("package:2 core:4 pu:2"), or an hwloc XML export. UserError if hwloc cannot
// read the description.
Topology topology_from_synthetic(const std::string& description);
Topology topology_from_xml(const std::string& xml);

// The limits of one process. An empty affinity set means all hardware threads.
struct CpuLimits {
  CpuSet affinity;
  std::optional<double> cpu_limit;
};

// The limits of the calling thread; `root` is prefixed to the files of the control groups.
CpuLimits current_cpu_limits(const std::string& root = "");

// The part of the machine within the limits. A mask that would leave nothing is ignored.
Topology usable_topology(Topology machine, const CpuLimits& limits);

// Has the memory nodes of these CPUs of this machine provide the pages of the memory by turns; only pages that nobody
// has accessed yet. False if the system refuses, or does not describe its nodes.
bool interleave_memory(void* memory, size_t bytes, const CpuSet& cpus);

// This machine within the limits that the calling thread has now: each call reads the affinity mask and the control
// groups anew, so a session that is created after they changed follows them.
Topology usable_topology();

// The words of CORE_TYPE, in its order.
enum class CoreType { automatic, performance, efficiency, all };
CoreType core_type_from_name(std::string_view name);  // UserError for other names

// The part of the machine with cores of this type: those of the fastest kind, or all others. Everything if all cores
// are of one kind, which depends on the hardware threads that are usable. automatic: as performance.
Topology cores_of_type(Topology usable, CoreType);

// `count` parts of the machine with neighbouring cores each, of the same size but for one core. UserError if there are
// fewer cores.
std::vector<Topology> split_cores(const Topology& usable, int count);

int core_count(const Topology&);  // distinct physical cores

// The default number of threads: one per physical core, or per hardware thread with `smt`, at most the CPU limit
// rounded up, at least 1.
int default_threads(const Topology& usable, bool smt);

MachineDescription machine_description(const Topology& usable);

// The words of AFFINITY, in its order.
enum class Affinity { none, core, pu, numa };
Affinity affinity_from_name(std::string_view name);  // UserError for other names

// Returns, for each of `threads` workers, the hardware threads that it is bound to; empty for `none`. Workers fill
// cores (or first hardware threads, then second ones) in the order of the topology and start over if there are more
// workers.
std::vector<CpuSet> binding_sets(const Topology& usable, Affinity affinity, int threads);

}  // namespace cppgen::rt
