// Settings of threads and memory: how a session runs a package.
#include <fmt/format.h>
#include <hwloc.h>

#include <nlohmann/json.hpp>

#include "runtime/session/bound_plan.h"
#include "runtime/session/library_table.h"
#include "runtime/session/session.h"
#include "runtime/threads/topology.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"
#include "tests/runtime/test_package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;

TEST_F(SettingEffect, THREADS) {
  const std::string model = package(relu());
  const auto threads = [&] { return json::parse(succeed({"run", model, "--json"}).out)["threads"].get<int>(); };
  expect_effect<int>("5", threads, rt::default_threads(rt::usable_topology(), false), 5);
}

TEST_F(SettingEffect, MIN_CHUNK_SIZE) {
  const auto executable = rt::Executable::load(package(relu()));
  const auto chunks = [&] {
    const auto options = rt::SessionOptions::from(settings());
    return rt::bind_plan(*executable, rt::make_operators(*executable), {}, {.min_chunk_size = options.min_chunk_size})
        ->steps.at(0)
        .chunks;
  };
  expect_effect<int64_t>("65536", chunks, 64, 8);
  expect_effect<int64_t>("1048576", chunks, 64, 1);
}

// A kernel writes on how many CPUs the threads that run it may run.
constexpr const char* kCountCpus = R"(
#include <sched.h>
extern "C" void k(const cppgen_kernel_args* args, long begin, long end) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  for (long i = begin; i < end; i++) ((float*)args->buffers[0])[i] = CPU_COUNT(&set);
}
)";

rt::Plan count_cpus() {
  rt::Plan plan;
  plan.model = "count_cpus", plan.isa = "scalar";
  plan.outputs = {{"y", DType::f32, {rt::test::num(64)}, 0}};
  plan.buffers = {{rt::PlanBufferKind::output, 0, 0, rt::test::num(256), 0, 0, -1}};
  rt::Step step;
  step.name = "k", step.engine = "loops";
  step.object = 0, step.buffers = {0}, step.output_count = 1;
  step.range = rt::test::num(64), step.unit_work = rt::test::num(512);
  step.flops = rt::test::num(1 << 30), step.bytes = rt::test::num(256);
  plan.steps = {step};
  plan.objects = {"kernels_0.so"};
  return plan;
}

// The numbers of hardware threads of the machine's cores, or of its memory nodes.
std::set<float> sizes_of(int rt::ProcessingUnit::*part) {
  std::map<int, float> counts;
  for (const rt::ProcessingUnit& unit : rt::usable_topology().units) counts[unit.*part]++;
  std::set<float> sizes;
  for (const auto& it : counts) sizes.insert(it.second);
  return sizes;
}

TEST_F(SettingEffect, AFFINITY) {
  const auto cores = sizes_of(&rt::ProcessingUnit::core), nodes = sizes_of(&rt::ProcessingUnit::numa);
  if (cores.size() > 1 || nodes.size() > 1) GTEST_SKIP() << "cores or memory nodes of different sizes";
  rt::test::write_package(path("package"), count_cpus(), kCountCpus, {});
  environment["CPPGEN_THREADS"] = "2";
  const auto cpus = [&] {
    succeed({"run", path("package"), "--output", path("out")});
    const rt::Tensor y = rt::read_npy(path("out/out_0.npy"));
    return std::set<float>(y.as<float>(), y.as<float>() + 64);
  };
  const float all = float(rt::current_cpu_limits().affinity.size());
  expect_effect<std::set<float>>("pu", cpus, {all}, {1});
  expect_effect<std::set<float>>("core", cpus, {all}, cores);
  expect_effect<std::set<float>>("numa", cpus, {all}, nodes);
}

// Each stream has its own half of the cores.
TEST_F(SettingEffect, NUM_STREAMS) {
  const rt::Topology usable = rt::usable_topology();
  if (rt::core_count(usable) < 2) GTEST_SKIP() << "one core";
  rt::test::write_package(path("package"), count_cpus(), kCountCpus, {});
  using Seen = std::pair<int, std::set<float>>;  // threads, and CPUs that each may use
  const auto see = [&] {
    const json report = json::parse(succeed({"run", path("package"), "--output", path("out"), "--json"}).out);
    const rt::Tensor y = rt::read_npy(path("out/out_0.npy"));
    return Seen(report["threads"].get<int>(), std::set<float>(y.as<float>(), y.as<float>() + 64));
  };
  const auto halves = rt::split_cores(usable, 2);
  const Seen alone(rt::default_threads(usable, false), {float(rt::current_cpu_limits().affinity.size())});
  const int threads = std::max(rt::default_threads(halves[0], false), rt::default_threads(halves[1], false));
  expect_effect<Seen>("2", see, alone, {threads, {float(halves[0].units.size())}});
  const auto refused = [&] { return run({"run", path("package"), "--set", "NUM_STREAMS=64"}).err; };
  if (rt::core_count(usable) < 64) {
    EXPECT_NE(refused().find("NUM_STREAMS: 64 is more than the"), std::string::npos);
  }
}

// A machine with a memory node for each core. What the user sets is not changed.
TEST_F(SettingEffect, AUTO) {
  const rt::CpuLimits limits = rt::current_cpu_limits();
  if (limits.affinity.size() < 2 || limits.cpu_limit) GTEST_SKIP() << "one CPU, or a quota";
  environment["HWLOC_SYNTHETIC"] = fmt::format("numa:{} core:1 pu:1", limits.affinity.back() + 1);
  using Seen = std::vector<std::string>;  // values and sources
  const auto see = [&] {
    Seen seen;
    const json config = json::parse(succeed({"config", "--json"}).out);
    for (const json& it : config["settings"])
      if (it["name"] == "THREADS" || it["name"] == "AFFINITY")
        seen.insert(seen.end(), {it["value"].get<std::string>(), it["source"].get<std::string>()});
    return seen;
  };
  const std::string cores = std::to_string(limits.affinity.size());
  expect_effect<Seen>("0", see, {cores, "AUTO", "numa", "AUTO"}, {"-1", "default", "none", "default"});
  // A saved file is for other machines, too.
  EXPECT_EQ(succeed({"config", "--diff"}).out.find("AFFINITY"), std::string::npos);
  environment["CPPGEN_AFFINITY"] = "core";
  EXPECT_EQ(see(), (Seen{cores, "AUTO", "core", "CPPGEN_AFFINITY"}));
  environment.erase("CPPGEN_AFFINITY");
  environment["CPPGEN_THREADS"] = "1";
  EXPECT_EQ(see(), (Seen{"1", "CPPGEN_THREADS", "none", "default"}));
}

// Every second core of the machine is slow.
std::string hybrid_machine(int cores) {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, fmt::format("core:{} pu:1", cores).c_str());
  hwloc_topology_load(topology);
  for (int kind : {0, 1}) {
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (int cpu = kind; cpu < cores; cpu += 2) hwloc_bitmap_set(cpus, unsigned(cpu));
    hwloc_cpukinds_register(topology, cpus, 1 - kind, 0, nullptr, 0);
    hwloc_bitmap_free(cpus);
  }
  char* text = nullptr;
  int length = 0;
  EXPECT_EQ(hwloc_topology_export_xmlbuffer(topology, &text, &length, 0), 0);
  std::string xml(text);
  hwloc_free_xmlbuffer(topology, text);
  hwloc_topology_destroy(topology);
  return xml;
}

TEST_F(SettingEffect, CORE_TYPE) {
  const rt::CpuLimits limits = rt::current_cpu_limits();
  if (limits.affinity.size() < 2) GTEST_SKIP() << "one CPU";
  const std::string xml = hybrid_machine(limits.affinity.back() + 1);
  environment["HWLOC_XMLFILE"] = folder.write("machine.xml", xml);
  const std::string model = package(relu());
  const auto threads = [&] { return json::parse(succeed({"run", model, "--json"}).out)["threads"].get<int>(); };
  const auto expected = [&](bool fast, bool slow) {
    rt::Topology part = rt::usable_topology(rt::topology_from_xml(xml), limits);
    std::erase_if(part.units, [&](const rt::ProcessingUnit& unit) { return unit.cpu % 2 ? !slow : !fast; });
    return rt::default_threads(part, false);
  };
  expect_effect<int>("performance", threads, expected(true, false), expected(true, false));
  expect_effect<int>("efficiency", threads, expected(true, false), expected(false, true));
  expect_effect<int>("all", threads, expected(true, false), expected(true, true));
}

// A machine whose cores have two hardware threads each, described to hwloc.
TEST_F(SettingEffect, SMT) {
  environment["HWLOC_SYNTHETIC"] = "core:512 pu:2";
  const rt::Topology machine =
      rt::usable_topology(rt::topology_from_synthetic("core:512 pu:2"), rt::current_cpu_limits());
  const std::string model = package(relu());
  const auto threads = [&] { return json::parse(succeed({"run", model, "--json"}).out)["threads"].get<int>(); };
  expect_effect<int>("1", threads, rt::default_threads(machine, false), rt::default_threads(machine, true));
}

TEST_F(SettingEffect, MEMORY_PLANNING) {
  const auto executable = rt::Executable::load(package(products(5)));
  const auto arena = [&] { return rt::Session(executable, rt::SessionOptions::from(settings())).stats().arena_bytes; };
  const int64_t planned = arena();
  environment["CPPGEN_MEMORY_PLANNING"] = "0";
  const int64_t separate = arena();
  environment.erase("CPPGEN_MEMORY_PLANNING");
  EXPECT_LT(planned, separate);
  expect_effect<int64_t>("0", arena, planned, separate);
}

TEST_F(SettingEffect, FORCE_NATIVE_RUNTIME) {
  const std::string model = relu();
  const auto interpreted = [&] {
    return json::parse(succeed({"run", model, "--json"}).out)["step_counts"]["interpreted"].get<int>();
  };
  expect_effect<int>("1", interpreted, 0, 1);
}

TEST_F(SettingEffect, ENABLE_KERNEL_PROFILE) {
  const auto executable = rt::Executable::load(package(relu()));
  const auto inputs = rt::random_inputs(executable->plan(), {}, 0);
  const auto measured = [&] {
    rt::Session session(executable, rt::SessionOptions::from(settings()));
    session.run(std::vector<rt::TensorView>{inputs[0].view()});
    const rt::StepProfile step = session.profile().at(0);
    return step.calls == 1 && step.ns > 0 && step.bytes > 0;
  };
  expect_effect<bool>("1", measured, false, true);
}

TEST_F(SettingEffect, CUSTOM_OPS) {
  ModelMaker maker;
  auto& own = *maker.model.add_opset_import();
  own.set_domain("com.mycompany"), own.set_version(1);
  maker.input("x", {"2"}).output("y").node("Twice", {"x"}, {"y"});
  maker.graph.mutable_node(0)->set_domain("com.mycompany");
  const std::string model = write("twice.onnx", maker);
  const std::string description = folder.write("twice.json", R"({"domain": "com.mycompany", "name": "Twice",
    "inputs": [{"name": "x", "type": "float32"}], "outputs": [{"name": "y", "type": "x", "shape": "x"}],
    "lowering": "y[i...] = 2 * x[i...]"})");
  expect_effect<int>(
      description,
      [&] {
        return run({"run", model}).status;
      },
      2, 0);
}

// They are flushed in all threads, and not behind the run.
TEST_F(SettingEffect, FLUSH_DENORMALS) {
  const std::vector<float> x(1 << 20, 1e-40f);
  environment["CPPGEN_THREADS"] = "3";
  const auto flushed = [&] {
    const auto y = results("Sqrt", x);  // 1e-20
    const long zeros = std::count(y.begin(), y.end(), 0.0f);
    EXPECT_TRUE(zeros == 0 || zeros == long(y.size())) << zeros;
    EXPECT_EQ(__builtin_ia32_stmxcsr() & 0x8040, 0u);
    return zeros != 0;
  };
  expect_effect<bool>("1", flushed, false, true);
}

TEST_F(SettingEffect, MAX_MEMORY) {
  const std::string model = relu();  // 2 MiB in, 2 MiB out
  const auto refused = [&] {
    const Ended ended = run({"run", model});
    return ended.status == 2 && ended.err.find("at most 3000000 are allowed (CPPGEN_MAX_MEMORY)") != ended.err.npos;
  };
  expect_effect<bool>("3MB", refused, false, true);
}

}  // namespace
}  // namespace cppgen
