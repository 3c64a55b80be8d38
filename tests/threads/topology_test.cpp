#include "runtime/threads/topology.h"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/errors.h"
#include "runtime/threads/binding.h"
#include "runtime/threads/executor.h"

namespace cppgen::rt {
namespace {

// Two sockets with a memory node each, four cores of two hardware threads; numbered core by core: core c has the
// hardware threads 2c and 2c + 1.
constexpr const char* kTwoSockets =
    "package:2 numa:1 l3:1(size=33554432) l2:4(size=2097152) l1d:1(size=49152) core:1 pu:2";

Topology two_sockets() { return topology_from_synthetic(kTwoSockets); }

TEST(Topology, SyntheticMachine) {
  Topology machine = two_sockets();
  ASSERT_EQ(machine.units.size(), 16u);
  EXPECT_EQ(core_count(machine), 8);
  EXPECT_EQ(default_threads(machine, false), 8);
  EXPECT_EQ(default_threads(machine, true), 16);
  EXPECT_EQ(machine.units[9].core, 4);
  EXPECT_EQ(machine.units[9].sibling, 1);
  EXPECT_EQ(machine.units[9].numa, 1);
  EXPECT_EQ(machine.units[9].package, 1);
}

TEST(Topology, CachesReachTheMachineDescription) {
  MachineDescription machine = machine_description(two_sockets());
  EXPECT_EQ(machine.cores, 8);
  EXPECT_EQ(machine.hardware_threads, 16);
  EXPECT_EQ(machine.numa_nodes, 2);
  EXPECT_EQ(machine.l1d_bytes, 48 << 10);
  EXPECT_EQ(machine.l2_bytes, 2 << 20);
  EXPECT_EQ(machine.l2_cores, 1);
  EXPECT_EQ(machine.l3_bytes, 32 << 20);
  EXPECT_EQ(machine.l3_cores, 4);
}

TEST(Topology, MasksAndQuotasLimitWhatIsUsable) {
  Topology usable = usable_topology(two_sockets(), {{0, 1, 2, 5, 9, 999}, {}});
  EXPECT_EQ(usable.units.size(), 5u);
  EXPECT_EQ(default_threads(usable, false), 4);
  EXPECT_EQ(default_threads(usable, true), 5);
  EXPECT_EQ(machine_description(usable).numa_nodes, 2);

  EXPECT_EQ(default_threads(usable_topology(two_sockets(), {{}, 2.5}), false), 3);
  EXPECT_EQ(default_threads(usable_topology(two_sockets(), {{}, 0.1}), false), 1);
  EXPECT_EQ(default_threads(usable_topology(two_sockets(), {{}, 100.}), false), 8);
  EXPECT_EQ(default_threads(usable_topology(two_sockets(), {{999}, {}}), false), 8) << "a foreign mask is ignored";
}

TEST(Topology, BindingSets) {
  Topology machine = two_sockets();
  EXPECT_TRUE(binding_sets(machine, Affinity::none, 4).empty());

  auto cores = binding_sets(machine, Affinity::core, 10);
  ASSERT_EQ(cores.size(), 10u);
  EXPECT_EQ(cores[0], (CpuSet{0, 1}));
  EXPECT_EQ(cores[7], (CpuSet{14, 15}));
  EXPECT_EQ(cores[8], cores[0]);

  auto units = binding_sets(machine, Affinity::pu, 17);
  EXPECT_EQ(units[0], CpuSet{0});
  EXPECT_EQ(units[7], CpuSet{14});
  EXPECT_EQ(units[8], CpuSet{1});
  EXPECT_EQ(units[16], units[0]);

  auto nodes = binding_sets(machine, Affinity::numa, 8);
  EXPECT_EQ(nodes[0], (CpuSet{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(nodes[3], nodes[0]);
  EXPECT_EQ(nodes[4], (CpuSet{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Topology, BindingSetsStayWithinTheMask) {
  Topology usable = usable_topology(two_sockets(), {{1, 3, 8}, {}});
  EXPECT_EQ(binding_sets(usable, Affinity::core, 3), (std::vector<CpuSet>{{1}, {3}, {8}}));
  EXPECT_EQ(binding_sets(usable, Affinity::pu, 4), (std::vector<CpuSet>{{1}, {3}, {8}, {1}}));
  EXPECT_EQ(binding_sets(usable, Affinity::numa, 3), (std::vector<CpuSet>{{1, 3}, {1, 3}, {8}}));
}

TEST(Topology, XmlRoundTrip) {
  hwloc_topology_t topology;
  ASSERT_EQ(hwloc_topology_init(&topology), 0);
  ASSERT_EQ(hwloc_topology_set_synthetic(topology, "package:2 core:3 pu:1"), 0);
  ASSERT_EQ(hwloc_topology_load(topology), 0);
  char* text = nullptr;
  int length = 0;
  ASSERT_EQ(hwloc_topology_export_xmlbuffer(topology, &text, &length, 0), 0);
  Topology machine = topology_from_xml(text);
  hwloc_free_xmlbuffer(topology, text);
  hwloc_topology_destroy(topology);
  EXPECT_EQ(core_count(machine), 6);
  EXPECT_EQ(machine.units[5].package, 1);
}

// The cores 0 to 5 are fast, 6 and 7 slow.
Topology hybrid() {
  Topology machine = two_sockets();
  for (ProcessingUnit& unit : machine.units) unit.efficiency = unit.core < 6 ? 1 : 0;
  return machine;
}

TEST(Topology, CoresOfOneType) {
  EXPECT_EQ(core_count(cores_of_type(hybrid(), CoreType::automatic)), 6);
  EXPECT_EQ(core_count(cores_of_type(hybrid(), CoreType::performance)), 6);
  EXPECT_EQ(core_count(cores_of_type(hybrid(), CoreType::efficiency)), 2);
  EXPECT_EQ(core_count(cores_of_type(hybrid(), CoreType::all)), 8);
  EXPECT_EQ(core_count(cores_of_type(two_sockets(), CoreType::efficiency)), 8);
  const Topology slow = usable_topology(hybrid(), {{12, 13, 14, 15}, {}});
  EXPECT_EQ(core_count(cores_of_type(slow, CoreType::performance)), 2) << "all usable cores are of one kind";
  EXPECT_THROW(core_type_from_name("fast"), UserError);
}

TEST(Topology, StreamsHaveDisjointNeighbouringCores) {
  const auto streams = stream_options(two_sockets(), 3, -1, Affinity::none, false, 200);
  ASSERT_EQ(streams.size(), 3u);
  EXPECT_EQ(streams[0].threads, 2);
  EXPECT_EQ(streams[0].bindings, (std::vector<CpuSet>{{0, 1, 2, 3}, {0, 1, 2, 3}}));
  EXPECT_EQ(streams[1].bindings[0], (CpuSet{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(streams[2].bindings[2], (CpuSet{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(stream_options(two_sockets(), 2, -1, Affinity::pu, false, 200)[1].bindings[3], (CpuSet{14}));
  EXPECT_EQ(stream_options(two_sockets(), 2, 7, Affinity::none, false, 200)[1].threads, 7);
  EXPECT_TRUE(stream_options(two_sockets(), 1, -1, Affinity::none, false, 200)[0].bindings.empty());
  EXPECT_THROW(stream_options(two_sockets(), 9, -1, Affinity::none, false, 200), UserError);
  EXPECT_EQ(stream_options(usable_topology(two_sockets(), {{}, 4.}), 4, -1, Affinity::none, false, 200)[0].threads, 1);
}

TEST(Topology, BadDescriptionsAreUserErrors) {
  EXPECT_THROW(topology_from_synthetic("package:two"), UserError);
  EXPECT_THROW(topology_from_xml("<topology"), UserError);
  EXPECT_THROW(topology_from_xml(""), UserError);
  EXPECT_THROW(affinity_from_name("socket"), UserError);
}

TEST(Topology, WordsOfSettings) {
  EXPECT_EQ(affinity_from_name("none"), Affinity::none);
  EXPECT_EQ(affinity_from_name("core"), Affinity::core);
  EXPECT_EQ(affinity_from_name("pu"), Affinity::pu);
  EXPECT_EQ(affinity_from_name("numa"), Affinity::numa);
  EXPECT_EQ(core_type_from_name("auto"), CoreType::automatic);
  EXPECT_EQ(core_type_from_name("performance"), CoreType::performance);
  EXPECT_EQ(core_type_from_name("efficiency"), CoreType::efficiency);
  EXPECT_EQ(core_type_from_name("all"), CoreType::all);
}

TEST(Topology, ThisMachine) {
  Topology usable = usable_topology();
  EXPECT_GE(default_threads(usable, false), 1);
  EXPECT_LE(default_threads(usable, false), default_threads(usable, true));
  MachineDescription machine = machine_description(usable);
  EXPECT_GE(machine.l2_bytes, machine.l1d_bytes);
  EXPECT_GT(machine.l1d_bytes, 0);
  for (const ProcessingUnit& unit : usable.units) EXPECT_GE(unit.cpu, 0);
}

TEST(Topology, MemoryOfNoNodeIsRefused) {
  char byte = 0;
  EXPECT_FALSE(interleave_memory(&byte, 1, {}));
}

// Runs `body` in a child process and returns its exit status.
template <class Body>
int in_child(Body body) {
  pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Topology, TheProcessMaskCounts) {
  int first = current_thread_affinity().at(0);
  EXPECT_EQ(in_child([&] {
              cpu_set_t one;
              CPU_ZERO(&one);
              CPU_SET(first, &one);
              if (sched_setaffinity(0, sizeof one, &one) != 0) return 2;
              Topology usable = usable_topology();
              return usable.units.size() == 1 && usable.units[0].cpu == first && default_threads(usable, true) == 1 ? 0
                                                                                                                    : 1;
            }),
            0);
}

TEST(Topology, TheMachineIsReadOnceAndTheMaskEachTime) {
  const Topology before = usable_topology();
  const Topology* machine = &topology_of_this_machine();
  {
    const ScopedBinding bound({before.units.back().cpu});
    EXPECT_EQ(usable_topology().units.size(), 1u);
    EXPECT_EQ(&topology_of_this_machine(), machine);
  }
  EXPECT_EQ(usable_topology().units.size(), before.units.size());
}

TEST(ScopedBinding, BindsAndRestores) {
  CpuSet before = current_thread_affinity();
  {
    ScopedBinding bound({before.back()});
    EXPECT_EQ(current_thread_affinity(), CpuSet{before.back()});
    ScopedBinding nothing({});
    ScopedBinding impossible({8000});
    EXPECT_EQ(current_thread_affinity(), CpuSet{before.back()});
  }
  EXPECT_EQ(current_thread_affinity(), before);
}

}  // namespace
}  // namespace cppgen::rt
