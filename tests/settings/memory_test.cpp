// Settings of memory: where weights, intermediate buffers and results lie.
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/base/errors.h"
#include "runtime/memory/planner.h"
#include "runtime/session/session.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

// Adds a constant of pseudo-random numbers.
void add_weights(ModelMaker& maker, const std::string& name, const std::vector<int64_t>& dims) {
  auto& tensor = maker.initializer(name, dims, onnx::TensorProto::FLOAT);
  uint32_t state = 1;
  for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
    state = state * 1664525 + 1013904223;
    tensor.add_float_data(float(state >> 8) / float(1 << 24) - 0.5f);
  }
}

// `count` times x_i[32, 32] -> t_i[32, 1024] -> y_i[32, 16]; each t_i takes 128 KiB, and little more with its layout.
// The nodes that make the t_i come first.
ModelMaker branches(int count) {
  ModelMaker maker;
  for (int i = 0; i < count; i++) {
    const std::string n = std::to_string(i);
    maker.input("x" + n, {"32", "32"});
    add_weights(maker, "w" + n, {32, 1024});
    maker.node("MatMul", {"x" + n, "w" + n}, {"t" + n});
  }
  for (int i = 0; i < count; i++) {
    const std::string n = std::to_string(i);
    add_weights(maker, "v" + n, {1024, 16});
    maker.node("MatMul", {"t" + n, "v" + n}, {"y" + n});
    maker.output("y" + n);
  }
  return maker;
}
constexpr int64_t kBranchBytes = 32 * 1024 * 4;

// x -> t -> u -> two results of the same size, the largest buffers.
ModelMaker two_results() {
  ModelMaker maker;
  maker.input("x", {"32", "32"}).output("y").output("z");
  add_weights(maker, "a", {32, 48});
  add_weights(maker, "b", {48, 64});
  add_weights(maker, "c", {64, 1024});
  add_weights(maker, "d", {64, 1024});
  maker.node("MatMul", {"x", "a"}, {"t"});
  maker.node("MatMul", {"t", "b"}, {"u"});
  maker.node("MatMul", {"u", "c"}, {"y"});
  maker.node("MatMul", {"u", "d"}, {"z"});
  return maker;
}

rt::SessionStats stats_of(const std::shared_ptr<const rt::Executable>& executable, const Settings& settings) {
  return rt::Session(executable, rt::SessionOptions::from(settings)).stats();
}

int64_t count_of_temporaries(const rt::Plan& plan) {
  return std::count_if(plan.buffers.begin(), plan.buffers.end(), [](const rt::PlanBuffer& buffer) {
    return buffer.kind == rt::PlanBufferKind::temporary && buffer.shares < 0;
  });
}

// Bytes of this process's mappings for which huge pages were asked.
int64_t bytes_that_asked() {
  std::ifstream file("/proc/self/smaps");
  int64_t kilobytes = 0, sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "Size:") words >> kilobytes;
    if (key != "VmFlags:") continue;
    for (std::string flag; words >> flag;)
      if (flag == "hg") sum += kilobytes * 1024;
  }
  return sum;
}

TEST_F(SettingEffect, HUGE_PAGES) {
  const std::string model = package(write("branches.onnx", branches(2)));
  using Seen = std::pair<bool, bool>;  // for anything; for the arena and the weights
  const auto see = [&] {
    const auto executable = rt::Executable::load(model, rt::LoadOptions::from(settings()));
    const rt::Session session(executable, rt::SessionOptions::from(settings()));
    const int64_t asked = bytes_that_asked();
    return Seen(asked > 0, asked >= session.stats().arena_bytes + session.stats().weights_bytes);
  };
  expect_effect<Seen>("1", see, {false, false}, {true, true});
  environment["CPPGEN_FORCE_MMAP_WEIGHTS"] = "0";
  expect_effect<Seen>("1", see, {false, false}, {true, true});
}

// Unless they are mapped, the results do not depend on the file any more.
TEST_F(SettingEffect, FORCE_MMAP_WEIGHTS) {
  const std::string original = package(write("branches.onnx", branches(1)));
  const auto mapped = [&] {
    const std::string copy = path("copy.package");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(original, copy);
    rt::Session session(rt::Executable::load(copy, rt::LoadOptions::from(settings())), {.threads = 1});
    std::ifstream maps("/proc/self/maps");
    bool found = false;
    for (std::string line; std::getline(maps, line);) found |= line.find("copy.package/weights.bin") != line.npos;
    if (found) return true;
    const auto inputs = rt::random_inputs(session.plan(), {}, 0);
    const std::vector<rt::TensorView> views{inputs[0].view()};
    const rt::Tensor before = std::move(session.run(views)[0]);
    std::filesystem::resize_file(copy + "/weights.bin", 0);
    const rt::Tensor after = std::move(session.run(views)[0]);
    EXPECT_EQ(std::memcmp(before.data(), after.data(), size_t(before.bytes())), 0);
    return false;
  };
  expect_effect<bool>("1", mapped, false, true);
  expect_effect<bool>("0", mapped, false, false);
}

// The policy of the weights' first page is what the system was asked for. Results stay the same bits.
TEST_F(SettingEffect, NUMA_WEIGHTS) {
  const std::string model = package(write("branches.onnx", branches(1)));
  std::vector<rt::Tensor> results;
  const auto interleaved = [&] {
    const auto executable = rt::Executable::load(model, rt::LoadOptions::from(settings()));
    rt::Session session(executable, rt::SessionOptions::from(settings()));
    const auto inputs = rt::random_inputs(session.plan(), {}, 0);
    const std::vector<rt::TensorView> views{inputs[0].view()};
    results.push_back(std::move(session.run(views)[0]));
    EXPECT_EQ(std::memcmp(results[0].data(), results.back().data(), size_t(results[0].bytes())), 0);
    int policy = -1;
    unsigned long nodes[16] = {};
    EXPECT_EQ(::syscall(SYS_get_mempolicy, &policy, nodes, 1024, executable->weights(), MPOL_F_ADDR), 0);
    return policy == MPOL_INTERLEAVE;
  };
  expect_effect<bool>("interleave", interleaved, false, true);
}

// The weights of a package with parameters are those of the model until they are replaced.
TEST_F(SettingEffect, FREEZING) {
  const std::string model = write("branches.onnx", branches(1));
  succeed({"run", model, "--reference", "--output", path("data")});
  const rt::Tensor input = rt::read_npy(path("data/in_0.npy")), output = rt::read_npy(path("data/out_0.npy"));
  const auto largest = [&](rt::Session& session, const rt::Tensor* minus) {
    const rt::Tensor y = std::move(session.run(std::vector<rt::TensorView>{input.view()})[0]);
    float most = 0;
    for (int64_t i = 0; i < y.elements(); i++)
      most = std::max(most, std::abs(y.as<float>()[i] - (minus ? minus->as<float>()[i] : 0)));
    return most;
  };
  using Names = std::vector<std::string>;
  const auto parameters = [&] {
    rt::Session session(rt::Executable::load(package(model)), rt::SessionOptions::from(settings()));
    EXPECT_EQ(session.plan().inputs.size(), 1u);
    EXPECT_LT(largest(session, &output), 1e-3f);
    Names names;
    for (const rt::Parameter& it : session.plan().parameters) names.push_back(it.info.name);
    rt::Tensor zeros(DType::f32, {1024, 16});
    std::memset(zeros.data(), 0, size_t(zeros.bytes()));
    if (names.empty()) {
      EXPECT_THROW(session.set_parameter("v0", zeros.view()), UserError);
      return names;
    }
    session.set_parameter("v0", zeros.view());
    EXPECT_EQ(largest(session, nullptr), 0);
    session.set_parameter("v0", {DType::f32, zeros.dims(), nullptr});
    EXPECT_LT(largest(session, &output), 1e-3f);
    EXPECT_THROW(session.set_parameter("v0", input.view()), UserError);
    return names;
  };
  expect_effect<Names>("0", parameters, {}, {"w0", "v0"});
}

// The bytes of constants named v0 in the package, and that the last of them is the weight as the model has it.
TEST_F(SettingEffect, FREEZING_DISCARD_PARAMETERS) {
  const ModelMaker maker = branches(1);
  const std::string model = write("branches.onnx", maker);
  const auto& weight = maker.graph.initializer(1);
  ASSERT_EQ(weight.name(), "v0");
  using Seen = std::pair<int64_t, bool>;
  const auto see = [&] {
    const auto executable = rt::Executable::load(package(model));
    int64_t bytes = 0;
    bool original = false;
    for (const rt::PlanBuffer& buffer : executable->plan().buffers) {
      if (buffer.name != "v0" || buffer.kind != rt::PlanBufferKind::constant) continue;
      bytes += rt::evaluate(buffer.bytes, {});
      original = std::memcmp(executable->weights() + buffer.offset, weight.float_data().data(), 4096) == 0;
    }
    const std::string data = path("data");
    if (!std::filesystem::exists(data)) succeed({"run", model, "--reference", "--output", data});
    succeed({"verify", path("model.package"), data});
    return Seen(bytes, original);
  };
  expect_effect<Seen>("0", see, {0, false}, {1024 * 16 * 4, true});
}

// MEMORY_PLANNING=0 allocates each buffer, this one only places them in the arena.
TEST_F(SettingEffect, ALLOW_BUFFER_REUSE) {
  const auto executable = rt::Executable::load(package(products(5)));
  const rt::Plan& plan = executable->plan();
  int64_t sum = 0;
  for (const rt::PlanBuffer& buffer : plan.buffers)
    if (buffer.kind == rt::PlanBufferKind::temporary && buffer.shares < 0)
      sum += (rt::evaluate(buffer.bytes, {}) + rt::kBufferAlignment - 1) / rt::kBufferAlignment * rt::kBufferAlignment;
  using Seen = std::pair<bool, size_t>;
  environment["CPPGEN_THREADS"] = "1";
  const auto see = [&] {
    const auto stats = stats_of(executable, settings());
    return Seen(stats.arena_bytes >= sum, stats.arena_blocks);
  };
  expect_effect<Seen>("0", see, {false, 1}, {true, 1});
  environment["CPPGEN_MEMORY_PLANNING"] = "0";
  EXPECT_EQ(see(), Seen(true, count_of_temporaries(plan)));
}

TEST_F(SettingEffect, MEMORY_POOL) {
  const auto executable = rt::Executable::load(package(write("two.onnx", two_results())));
  const auto inputs = rt::random_inputs(executable->plan(), {}, 0);
  const std::vector<rt::TensorView> views{inputs[0].view()};
  std::vector<rt::Tensor> expected = rt::Session(executable).run(views);
  // Allocations for intermediate buffers; whether the results are next to each other; whether the arena holds them.
  using Seen = std::tuple<size_t, bool, bool>;
  const auto see = [&] {
    std::vector<rt::Tensor> first, second;
    rt::SessionStats stats;
    {
      rt::Session session(executable, rt::SessionOptions::from(settings()));
      first = session.run(views), second = session.run(views);
      stats = session.stats();
    }
    for (size_t i = 0; i < expected.size(); i++)
      for (const auto* results : {&first, &second})
        EXPECT_EQ(std::memcmp((*results)[i].data(), expected[i].data(), size_t(expected[i].bytes())), 0) << i;
    const int64_t apart = first[1].as<char>() - first[0].as<char>();
    return Seen(stats.arena_blocks, std::abs(apart) == expected[0].bytes(),
                stats.arena_bytes >= 2 * expected[0].bytes());
  };
  const auto temporaries = size_t(count_of_temporaries(executable->plan()));
  ASSERT_GE(temporaries, 2u);
  expect_effect<Seen>("none", see, {1, false, false}, {temporaries, false, false});
  expect_effect<Seen>("outputs", see, {1, false, false}, {1, true, false});
  expect_effect<Seen>("combined", see, {1, false, false}, {1, true, true});
}

// Counts the large buffers of the branches that the arena holds at once: those that a wave writes, and those that it
// reads.
TEST_F(SettingEffect, MULTISTREAM_MAX_MEM_PARALLEL_OPS) {
  const auto executable = rt::Executable::load(package(write("branches.onnx", branches(8))));
  environment["CPPGEN_MULTISTREAM_MODE"] = "1", environment["CPPGEN_MULTISTREAM_EXTRA_STREAMS"] = "15";
  environment["CPPGEN_THREADS"] = "1";
  const auto at_once = [&] { return stats_of(executable, settings()).arena_bytes / kBranchBytes; };
  expect_effect<int64_t>("1", at_once, 8, 2);
  expect_effect<int64_t>("2", at_once, 8, 4);
  expect_effect<int64_t>("3", at_once, 8, 6);
}

}  // namespace
}  // namespace cppgen
