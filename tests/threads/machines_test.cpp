// Effects of AFFINITY, CORE_TYPE, SMT and NUM_STREAMS on three kinds of machines: where each thread of a session runs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <hwloc/cpukinds.h>

#include <array>
#include <atomic>
#include <numeric>
#include <thread>

#include "runtime/base/settings.h"
#include "runtime/threads/executor.h"
#include "runtime/threads/host_profile.h"
#include "runtime/threads/region.h"

namespace cppgen::rt {
namespace {

CpuSet from_to(int first, int last) {
  CpuSet cpus(size_t(last - first + 1));
  std::iota(cpus.begin(), cpus.end(), first);
  return cpus;
}

CpuSet both(CpuSet a, const CpuSet& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<CpuSet> bindings(const Topology& machine, int64_t threads, Affinity affinity, bool smt = false) {
  return executor_options(machine, threads, affinity, smt, 0).bindings;
}

// THREADS and AFFINITY as AUTO sets them.
std::pair<int64_t, std::string> profile_of(const Topology& machine) {
  Settings settings;
  apply_host_profile(settings, machine);
  return {settings.threads, settings.affinity};
}

// Two sockets, each a memory node with 16 cores of two hardware threads, numbered as Linux does: core c has c and c
// + 32.
Topology two_sockets() {
  std::vector<int> numbers;
  for (int core = 0; core < 32; core++) numbers.insert(numbers.end(), {core, core + 32});
  return topology_from_synthetic(
      fmt::format("package:2 numa:1 l3:1 core:16 pu:2(indexes={})", fmt::join(numbers, ",")));
}
const CpuSet kFirstSocket = both(from_to(0, 15), from_to(32, 47)),
             kSecondSocket = both(from_to(16, 31), from_to(48, 63));

TEST(TwoSockets, OneThreadForEachCoreByDefault) {
  EXPECT_EQ(default_threads(two_sockets(), false), 32);
  EXPECT_EQ(default_threads(two_sockets(), true), 64);
  EXPECT_EQ(profile_of(two_sockets()), std::pair(int64_t{32}, std::string("numa")));
}

TEST(TwoSockets, ThreadsFillTheFirstSocketThenTheSecond) {
  EXPECT_TRUE(bindings(two_sockets(), -1, Affinity::none).empty());
  const auto cores = bindings(two_sockets(), -1, Affinity::core), nodes = bindings(two_sockets(), -1, Affinity::numa);
  const auto units = bindings(two_sockets(), -1, Affinity::pu);
  ASSERT_EQ(cores.size(), 32u);
  for (int worker = 0; worker < 32; worker++) {
    EXPECT_EQ(cores[size_t(worker)], (CpuSet{worker, worker + 32}));
    EXPECT_EQ(units[size_t(worker)], CpuSet{worker}) << "no two threads on a core";
    EXPECT_EQ(nodes[size_t(worker)], worker < 16 ? kFirstSocket : kSecondSocket);
  }
}

// With SMT, the second hardware threads follow when all cores have a thread.
TEST(TwoSockets, HardwareThreads) {
  const auto units = bindings(two_sockets(), -1, Affinity::pu, true),
             cores = bindings(two_sockets(), -1, Affinity::core, true);
  ASSERT_EQ(units.size(), 64u);
  for (int worker = 0; worker < 64; worker++) {
    EXPECT_EQ(units[size_t(worker)], CpuSet{worker});
    EXPECT_EQ(cores[size_t(worker)], (CpuSet{worker % 32, worker % 32 + 32}));
  }
}

// Few threads stay on one socket, whose cache they share.
TEST(TwoSockets, SixteenThreads) {
  for (const CpuSet& node : bindings(two_sockets(), 16, Affinity::numa)) EXPECT_EQ(node, kFirstSocket);
}

TEST(TwoSockets, AStreamForEachSocket) {
  const auto streams = stream_options(two_sockets(), 2, -1, Affinity::none, false, 0);
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].threads, 16);
  for (const CpuSet& cpus : streams[0].bindings) EXPECT_EQ(cpus, kFirstSocket);
  for (const CpuSet& cpus : streams[1].bindings) EXPECT_EQ(cpus, kSecondSocket);
}

// Eight fast cores of two hardware threads, numbered 0 to 15, and eight slow ones of one, whose numbers are 16, 18 ...
Topology hybrid() {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, "package:1 l3:1 core:16 pu:2");
  hwloc_topology_load(topology);
  hwloc_bitmap_t all = hwloc_bitmap_alloc(), fast = hwloc_bitmap_alloc(), slow = hwloc_bitmap_alloc();
  hwloc_bitmap_set_range(fast, 0, 15);
  for (unsigned cpu = 16; cpu < 32; cpu += 2) hwloc_bitmap_set(slow, cpu);
  hwloc_bitmap_or(all, fast, slow);
  EXPECT_EQ(hwloc_topology_restrict(topology, all, 0), 0);
  EXPECT_EQ(hwloc_cpukinds_register(topology, slow, 0, 0, nullptr, 0), 0);
  EXPECT_EQ(hwloc_cpukinds_register(topology, fast, 1, 0, nullptr, 0), 0);
  char* text = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(topology, &text, &length, 0), 0);
  const Topology machine = topology_from_xml(text);
  hwloc_free_xmlbuffer(topology, text);
  for (hwloc_bitmap_t set : {all, fast, slow}) hwloc_bitmap_free(set);
  hwloc_topology_destroy(topology);
  return machine;
}

// Unless CORE_TYPE says otherwise, no thread runs on a slow core.
TEST(Hybrid, ThreadsOfEachType) {
  EXPECT_EQ(profile_of(hybrid()), std::pair(int64_t{8}, std::string("none")));
  const auto fast = bindings(cores_of_type(hybrid(), CoreType::automatic), -1, Affinity::core);
  ASSERT_EQ(fast.size(), 8u);
  EXPECT_EQ(fast[7], (CpuSet{14, 15}));
  const auto slow = bindings(cores_of_type(hybrid(), CoreType::efficiency), -1, Affinity::core);
  ASSERT_EQ(slow.size(), 8u);
  EXPECT_EQ(slow[7], CpuSet{30});
  const auto all = bindings(cores_of_type(hybrid(), CoreType::all), -1, Affinity::pu);
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all[7], CpuSet{14});
  EXPECT_EQ(all[8], CpuSet{16});
}

// Second hardware threads of fast cores come after all cores.
TEST(Hybrid, HardwareThreads) {
  const auto all = bindings(cores_of_type(hybrid(), CoreType::all), -1, Affinity::pu, true);
  ASSERT_EQ(all.size(), 24u);
  EXPECT_EQ(all[15], CpuSet{30});
  EXPECT_EQ(all[16], CpuSet{1});
}

// Shares are equal, whatever the cores, but a thread that has finished its own takes chunks from the ends of others: as
// long as one worker is in its first chunk, the other runs all that remain.
TEST(Hybrid, FastThreadsTakeChunksOfSlowOnes) {
  constexpr int64_t kChunks = 16;
  static_assert(kChunks % 2 == 0);
  EXPECT_EQ(share_of(kChunks, 0, 2).end, kChunks / 2);
  struct Counts {
    std::atomic<int64_t> finished{0};
    std::array<std::atomic<int64_t>, 2> of_worker{};
  } counts;
  const auto run = [](void* context, int64_t, int worker) {
    auto& c = *static_cast<Counts*>(context);
    c.of_worker[size_t(worker)]++;
    while (worker == 1 && c.finished < kChunks - 1) std::this_thread::yield();
    c.finished++;
  };
  const StepView step{kChunks, run, &counts};
  EXPECT_TRUE(make_thread_pool_executor({.threads = 2, .cores = 2})->run({&step, 1}));
  EXPECT_EQ(counts.finished, kChunks);
  EXPECT_LE(counts.of_worker[1], 1);
  EXPECT_GE(counts.of_worker[0], kChunks - 1);
}

// Four memory nodes, each with two last-level caches of eight cores.
Topology four_nodes() { return topology_from_synthetic("numa:4 l3:2(size=33554432) core:8 pu:1"); }

TEST(FourNodes, ThreadsFillOneNodeAfterTheOther) {
  EXPECT_EQ(profile_of(four_nodes()), std::pair(int64_t{64}, std::string("numa")));
  EXPECT_EQ(machine_description(four_nodes()).l3_cores, 8);
  const auto nodes = bindings(four_nodes(), -1, Affinity::numa), cores = bindings(four_nodes(), -1, Affinity::core);
  ASSERT_EQ(nodes.size(), 64u);
  for (int worker = 0; worker < 64; worker++) {
    const int node = worker / 16;
    EXPECT_EQ(nodes[size_t(worker)], from_to(16 * node, 16 * node + 15));
    EXPECT_EQ(cores[size_t(worker)], CpuSet{worker}) << "eight workers in a row share a last-level cache";
  }
}

TEST(FourNodes, AStreamForEachLastLevelCache) {
  const auto streams = stream_options(four_nodes(), 8, -1, Affinity::none, false, 0);
  ASSERT_EQ(streams.size(), 8u);
  for (int s = 0; s < 8; s++) {
    EXPECT_EQ(streams[size_t(s)].threads, 8);
    for (const CpuSet& cpus : streams[size_t(s)].bindings) EXPECT_EQ(cpus, from_to(8 * s, 8 * s + 7));
  }
}

// A thread count that the user gives is not bound to nodes by AUTO.
TEST(FourNodes, GivenThreads) {
  Settings settings;
  settings.set("THREADS", "16");
  apply_host_profile(settings, four_nodes());
  EXPECT_EQ(settings.affinity, "none");
}

// Neighbouring workers have neighbouring parts of each step, so that what a node's threads wrote is read there again.
TEST(FourNodes, SharesAreContiguous) {
  int64_t next = 0;
  for (int worker = 0; worker < 64; worker++) {
    const UnitShare share = share_of(100, worker, 64);
    EXPECT_EQ(share.begin, next);
    EXPECT_TRUE(share.end - share.begin == 1 || share.end - share.begin == 2);
    next = share.end;
  }
  EXPECT_EQ(next, 100);
}

}  // namespace
}  // namespace cppgen::rt
