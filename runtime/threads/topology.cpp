#include "runtime/threads/topology.h"

#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "runtime/base/errors.h"
#include "runtime/base/setting_default.h"
#include "runtime/base/usable_cpus.h"
#include "runtime/threads/binding.h"

namespace cppgen::rt {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, TopologyDeleter>;

Handle make_handle() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw std::bad_alloc();
  Handle handle(topology);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  return handle;
}

int logical_ancestor(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type) {
  hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return ancestor ? static_cast<int>(ancestor->logical_index) : 0;
}

// Memory nodes are not part of the tree of cores, so they are found by the node set.
int numa_node_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));)
    if (node->cpuset && hwloc_bitmap_isset(node->cpuset, unit->os_index)) return static_cast<int>(node->logical_index);
  return 0;
}

// hwloc returns -1 if it cannot rank the kinds.
int efficiency_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  const int kind = hwloc_cpukinds_get_by_cpuset(topology, unit->cpuset, 0);
  int efficiency = -1;
  if (kind < 0 || hwloc_cpukinds_get_info(topology, unsigned(kind), nullptr, &efficiency, nullptr, nullptr, 0) != 0)
    return 0;
  return std::max(efficiency, 0);
}

int cores_below(hwloc_topology_t topology, hwloc_obj_t cache) {
  return std::max(1, hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE));
}

MachineDescription read_caches(hwloc_topology_t topology) {
  MachineDescription caches;
  auto first = [&](hwloc_obj_type_t type) { return hwloc_get_obj_by_type(topology, type, 0); };
  auto size = [](hwloc_obj_t cache) { return static_cast<int64_t>(cache->attr->cache.size); };
  if (hwloc_obj_t l1 = first(HWLOC_OBJ_L1CACHE); l1 && l1->attr->cache.size) {
    caches.l1d_bytes = size(l1);
    if (l1->attr->cache.linesize) caches.cache_line_bytes = l1->attr->cache.linesize;
  }
  if (hwloc_obj_t l2 = first(HWLOC_OBJ_L2CACHE); l2 && l2->attr->cache.size) {
    caches.l2_bytes = size(l2);
    caches.l2_cores = cores_below(topology, l2);
  }
  if (hwloc_obj_t l3 = first(HWLOC_OBJ_L3CACHE)) {
    caches.l3_bytes = size(l3);
    caches.l3_cores = cores_below(topology, l3);
  }
  return caches;
}

Topology read(hwloc_topology_t topology) {
  Topology result;
  std::map<int, int> siblings;
  for (hwloc_obj_t unit = nullptr; (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit));) {
    hwloc_obj_t core_object = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    int core = static_cast<int>(core_object ? core_object->logical_index : unit->logical_index);
    result.units.push_back({static_cast<int>(unit->os_index), core, siblings[core]++, numa_node_of(topology, unit),
                            logical_ancestor(topology, unit, HWLOC_OBJ_PACKAGE), efficiency_of(topology, unit)});
  }
  if (result.units.empty()) user_error("the description of the machine has no processing units");
  result.caches = read_caches(topology);
  return result;
}

// The affinity mask is applied by usable_topology, so that it can be tested on any machine.
Handle load_this_machine(unsigned long flags) {
  Handle handle = make_handle();
  hwloc_topology_set_flags(handle.get(), flags | HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
  if (hwloc_topology_load(handle.get()) != 0) user_error("hwloc cannot read the topology of this machine");
  return handle;
}

// A topology of the CPUs that this thread may use, about which nothing else is known.
Topology flat_topology() {
  Topology result;
  for (const int cpu : current_thread_affinity()) result.units.push_back({cpu, int(result.units.size()), 0, 0, 0, 0});
  return result;
}

// Without the system's description, as in a root directory without /sys, hwloc would only complain on stderr.
bool is_described() { return ::access("/sys/devices/system/cpu", F_OK) == 0; }

// By default, hwloc also binds the calling thread to each hardware thread in turn, to ask it for its caches. This takes
// longer than everything else, and is needed only where the system does not list them.
Topology read_this_machine() {
  if (!is_described()) return flat_topology();
  Handle handle = load_this_machine(HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if (!hwloc_get_obj_by_type(handle.get(), HWLOC_OBJ_L1CACHE, 0)) handle = load_this_machine(0);
  return read(handle.get());
}

}  // namespace

const Topology& topology_of_this_machine() {
  static const Topology machine = read_this_machine();
  return machine;
}

Topology topology_from_synthetic(const std::string& description) {
  Handle handle = make_handle();
  if (hwloc_topology_set_synthetic(handle.get(), description.c_str()) != 0 || hwloc_topology_load(handle.get()) != 0)
    user_error("\"{}\" is not a topology in hwloc's synthetic format, such as \"package:2 core:4 pu:2\"", description);
  return read(handle.get());
}

Topology topology_from_xml(const std::string& xml) {
  Handle handle = make_handle();
  int size = static_cast<int>(std::min<size_t>(xml.size() + 1, 1 << 30));  // hwloc counts the terminating zero
  if (hwloc_topology_set_xmlbuffer(handle.get(), xml.c_str(), size) != 0 || hwloc_topology_load(handle.get()) != 0)
    user_error("the text is not an XML topology exported by hwloc (lstopo --of xml)");
  return read(handle.get());
}

bool interleave_memory(void* memory, size_t bytes, const CpuSet& cpus) {
  if (!is_described()) return false;
  const Handle handle = load_this_machine(HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  for (const int cpu : cpus) hwloc_bitmap_set(set.get(), unsigned(cpu));
  return hwloc_set_area_membind(handle.get(), memory, bytes, set.get(), HWLOC_MEMBIND_INTERLEAVE, 0) == 0;
}

CpuLimits current_cpu_limits(const std::string& root) { return {current_thread_affinity(), cgroup_cpu_limit(root)}; }

Topology usable_topology(Topology machine, const CpuLimits& limits) {
  auto excluded = [&](const ProcessingUnit& unit) {
    return !std::binary_search(limits.affinity.begin(), limits.affinity.end(), unit.cpu);
  };
  bool any = std::any_of(machine.units.begin(), machine.units.end(), [&](auto& unit) { return !excluded(unit); });
  if (any) std::erase_if(machine.units, excluded);
  machine.cpu_limit = limits.cpu_limit;
  return machine;
}

Topology usable_topology() { return usable_topology(topology_of_this_machine(), current_cpu_limits()); }

int core_count(const Topology& topology) {
  std::set<int> cores;
  for (const ProcessingUnit& unit : topology.units) cores.insert(unit.core);
  return static_cast<int>(cores.size());
}

int default_threads(const Topology& usable, bool smt) {
  int threads = smt ? static_cast<int>(usable.units.size()) : core_count(usable);
  if (usable.cpu_limit) threads = static_cast<int>(std::min<double>(threads, std::ceil(*usable.cpu_limit)));
  return std::max(threads, 1);
}

MachineDescription machine_description(const Topology& usable) {
  MachineDescription machine = usable.caches;
  std::set<int> nodes;
  for (const ProcessingUnit& unit : usable.units) nodes.insert(unit.numa);
  machine.cores = std::max(core_count(usable), 1);
  machine.hardware_threads = std::max(static_cast<int>(usable.units.size()), 1);
  machine.numa_nodes = std::max(static_cast<int>(nodes.size()), 1);
  return machine;
}

Affinity affinity_from_name(std::string_view name) { return Affinity(choice_index("AFFINITY", name)); }

std::vector<CpuSet> binding_sets(const Topology& usable, Affinity affinity, int threads) {
  if (affinity == Affinity::none || usable.units.empty()) return {};
  // Ranks within a core are counted anew: a mask may leave a core only its second hardware thread.
  std::map<int, int> used;
  std::vector<std::pair<int, ProcessingUnit>> order;
  for (const ProcessingUnit& unit : usable.units) order.emplace_back(used[unit.core]++, unit);
  std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
  size_t places = affinity == Affinity::pu ? order.size() : used.size();

  std::vector<CpuSet> sets(threads);
  for (int worker = 0; worker < threads; ++worker) {
    const ProcessingUnit& place = order[worker % places].second;
    for (const ProcessingUnit& unit : usable.units) {
      bool together = affinity == Affinity::pu     ? unit.cpu == place.cpu
                      : affinity == Affinity::core ? unit.core == place.core
                                                   : unit.numa == place.numa;
      if (together) sets[worker].push_back(unit.cpu);
    }
    std::sort(sets[worker].begin(), sets[worker].end());
  }
  return sets;
}

}  // namespace cppgen::rt
