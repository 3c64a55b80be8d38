// Settings of the target and the compiler.
#include <nlohmann/json.hpp>

#include "cppgen/flow/compile/stages.h"
#include "cppgen/schedule/schedule.h"
#include "isa/vec_isa.h"
#include "runtime/contraction/amx_support.h"
#include "runtime/package/executable.h"
#include "tests/passes/graph_maker.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

using nlohmann::json;

const CpuFeatures kMatrixTiles{CpuFeature::amx_tile, CpuFeature::amx_bf16, CpuFeature::amx_int8};

std::string best(bool amx = rt::amx_support().usable) {
  const CpuFeatures cpu = detect_cpu_features();
  return std::string(best_isa(amx ? cpu : cpu.without(kMatrixTiles)).name);
}

TEST_F(SettingEffect, CXX) {
  const std::string model = relu();
  expect_effect<bool>(
      compiler(),
      [&] {
        succeed_anew({"run", model});
        return !commands().empty();
      },
      false, true);
}

TEST_F(SettingEffect, COMPILER_OPT) {
  use_compiler();
  const std::string model = relu();
  const auto level = [&] {
    succeed_anew({"run", model});
    const std::string command = commands().at(0);
    const size_t at = command.find("-O");
    return command.substr(at, command.find(' ', at) - at);
  };
  expect_effect<std::string>("-O1", level, "-O3", "-O1");
}

TEST_F(SettingEffect, ISA) {
  const std::string model = relu();
  const auto ran = [&] { return json::parse(succeed({"run", model, "--json"}).out)["isa"].get<std::string>(); };
  expect_effect<std::string>("scalar", ran, best(), "scalar");
}

// tests/runtime/versions_test.cpp chooses for other machines.
using SeveralInstructionSets = SettingEffect;
TEST_F(SeveralInstructionSets, AreInOnePackage) {
  if (!detect_cpu_features().has_all(find_isa("avx2")->required)) GTEST_SKIP() << "no avx2";
  const std::string model = relu();
  environment["CPPGEN_ISA"] = "avx2,scalar";
  EXPECT_EQ(json::parse(succeed({"run", model, "--json"}).out)["isa"], "avx2");
  const std::string made = package(model);
  environment.erase("CPPGEN_ISA");
  EXPECT_EQ(json::parse(succeed({"run", made, "--json"}).out)["isa"], "avx2");
  EXPECT_EQ(json::parse(succeed({"inspect", made, "--json"}).out)["isa"], "scalar") << "in its own folder";
  EXPECT_EQ(json::parse(succeed({"run", made, "--isa", "scalar", "--json"}).out)["isa"], "scalar");
  environment["CPPGEN_ISA"] = "scalar";
  EXPECT_EQ(json::parse(succeed({"run", made, "--json"}).out)["isa"], "scalar");
  EXPECT_EQ(rt::Executable::load(made, rt::LoadOptions::from(settings()))->plan().isa, "scalar");
  environment["CPPGEN_ISA"] = "auto,avx2";
  const Ended mixed = run({"run", model});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_NE(mixed.err.find("auto is the best instruction set of this machine; it is no part of a list"),
            std::string::npos)
      << mixed.err;
}

TEST_F(SettingEffect, SIMDLEN) {
  const std::string model = relu();
  const auto bits = [&] {
    return find_isa(json::parse(succeed({"run", model, "--json"}).out)["isa"].get<std::string>())->vector_bits;
  };
  const int widest = find_isa(best())->vector_bits;
  expect_effect<int>("1", bits, widest, 1);
  if (widest >= 256) expect_effect<int>("256", bits, widest, 256);
  if (widest >= 512) expect_effect<int>("512", bits, widest, 512);
}

// The output of a run, and the number of compiled probes.
TEST_F(SettingEffect, VEC_ISA_OK) {
  environment["CPPGEN_CXX"] = compiler();
  const std::string model = relu();
  using Seen = std::pair<std::string, long>;
  const auto see = [&] {
    const std::string isa = json::parse(succeed_anew({"run", model, "--json"}).out)["isa"];
    const auto all = commands();
    return Seen(isa, std::count_if(all.begin(), all.end(), [](auto& c) { return c.find("probe.cpp") != c.npos; }));
  };
  const Seen by_default(best(), best() == "scalar" ? 0 : 1);
  expect_effect<Seen>("0", see, by_default, {"scalar", 0});
  expect_effect<Seen>("1", see, by_default, {best(), 0});
}

// The output of a run, or the machine's refusal.
TEST_F(SettingEffect, USE_AMX) {
  const std::string model = relu();
  const auto ran = [&]() -> std::string {
    const Ended ended = run({"run", model, "--json"});
    if (ended.status == 0) return json::parse(ended.out)["isa"];
    EXPECT_NE(ended.err.find("USE_AMX=1 requires AMX, but "), std::string::npos) << ended.err;
    return "refused";
  };
  expect_effect<std::string>("0", ran, best(), best(false));
  expect_effect<std::string>("1", ran, best(), rt::amx_support().usable ? "amx" : "refused");
  environment["CPPGEN_ISA"] = "scalar", environment["CPPGEN_USE_AMX"] = "1";
  EXPECT_NE(run({"run", model}).err.find("USE_AMX=1 contradicts ISA=scalar"), std::string::npos);
}

// tests/engines shows what each engine computes.
TEST_F(SettingEffect, FPMATH_MODE) {
  const auto engine = [&] {
    GraphMaker g;
    g.output(g.node("MatMul", {g.input("x", {256, 128}), g.floats({128, 256}, std::vector<double>(128 * 256, 0.5))}));
    schedule::Target target = target_of(*find_isa("amx"), MachineDescription{});
    const auto s = schedule::make_schedule(ops::lower(g.g), schedule_options(settings()), target);
    return std::get<schedule::FusedKernel>(s.steps.at(0)).contraction->engine;
  };
  expect_effect<std::string>("strict", engine, "amx-bf16x6", "cppgen");
  expect_effect<std::string>("bf16x3", engine, "amx-bf16x6", "amx-bf16x3");
  expect_effect<std::string>("bf16", engine, "amx-bf16x6", "amx-bf16");
}

}  // namespace
}  // namespace cppgen
