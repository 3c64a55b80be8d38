// Settings of the engines of contractions.
#include "cppgen/forms/forms.h"
#include "cppgen/forms/tiles/plan.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"
#include "tests/settings/effect.h"
#include "tests/settings/schedules.h"

namespace cppgen {
namespace {

using namespace schedule;

ValueId weights(GraphMaker& g, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return g.floats(dims, std::vector<double>(size_t(count), 0.5));
}

// The engines of contractions, in the order of the steps.
std::vector<std::string> engines_of(const Schedule& s) {
  std::vector<std::string> engines;
  each_step(s.steps, [&](const auto& step) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(step)>, LibraryStep>)
      engines.push_back(step.engine);
    else if (step.contraction)
      engines.push_back(step.contraction->engine);
  });
  return engines;
}
using Engines = std::vector<std::string>;

GraphMaker network(int64_t kernel) {
  GraphMaker g;
  ValueId x = g.node("Relu", {g.input("x", {1, 16, 12, 12})});
  x = g.node("Relu", {g.node("Conv", {x, weights(g, {16, 16, kernel, kernel})})});
  const int64_t width = 13 - kernel;
  return g.output(g.node("MatMul", {x, weights(g, {width, 24})}));
}

TEST_F(SettingEffect, MAX_AUTOTUNE_CONV_BACKENDS) {
  const auto engines = [&] { return engines_of(schedule_of(network(3), settings())); };
  const Engines by_default{"winograd-2x2", "cppgen"};
  expect_effect<Engines>("CPP", engines, by_default, {"cppgen", "cppgen"});
  expect_effect<Engines>("ONEDNN", engines, by_default, {"onednn", "cppgen"});
  expect_effect<Engines>("ONEDNN,CPP", engines, by_default, {"onednn", "cppgen"});
  expect_effect<Engines>("WINOGRAD_4X4,ONEDNN", engines, by_default, {"winograd-4x4", "cppgen"});
  environment["CPPGEN_MAX_AUTOTUNE_CONV_BACKENDS"] = "CPP,WINOGRAD_2X2";
  EXPECT_EQ(engines(), by_default);
}

TEST_F(SettingEffect, COSTS) {
  const auto scheduled = [&](GraphMaker g, const Target& target) {
    return make_schedule(ops::lower(g.g), schedule_options(settings()), target);
  };
  const auto engines = [&] { return engines_of(scheduled(network(3), target_of(*find_isa("avx2"), settings()))); };
  expect_effect<Engines>("worthwhile=0.06", engines, {"winograd-2x2", "cppgen"}, {"cppgen", "cppgen"});
  const auto instructions = [&] {
    GraphMaker g;
    g.output(g.node("Exp", {g.input("x", {1024})}));
    const Target target = target_of(*find_isa("avx2"), settings());
    const Schedule s = scheduled(std::move(g), target);
    return forms::plan_kernel({s, *kernels_of(s).at(0), target}).work.multi_instruction.constant();
  };
  expect_effect<int64_t>("function=48", instructions, 128 * 24, 128 * 48);
  const auto refused = [&](const std::string& value) {
    const Ended ended = run({"config", "--set", "COSTS=" + value});
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(refused("function=1"), "cppgen: COSTS: function=1: allowed are integers from 1.5 to 384\n");
  EXPECT_EQ(refused("speed=9"), "cppgen: COSTS: there is no constant 'speed' in cppgen/schedule/costs.def\n");
  EXPECT_EQ(refused("overlap=2,overlap=3"), "cppgen: COSTS: overlap is given twice\n");
}

// The engines of a convolution with a single tap and of a product, and the loops over the rows of the convolution.
TEST_F(SettingEffect, CONV_1X1_AS_MM) {
  const auto engines = [&] { return engines_of(schedule_of(network(1), settings())); };
  const auto loops = [&] { return kernels_of(schedule_of(network(1), settings())).at(1)->contraction->rows.size(); };
  expect_effect<size_t>("0", loops, 1, 3);
  environment["CPPGEN_MAX_AUTOTUNE_CONV_BACKENDS"] = "ONEDNN";
  expect_effect<Engines>("0", engines, {"cppgen", "cppgen"}, {"onednn", "cppgen"});
  EXPECT_EQ(engines_of(schedule_of(network(3), settings())), (Engines{"onednn", "cppgen"}));
}

// The tiles of rows and panels of columns of a unit of a product, with and without matrix tiles: tiles of rows and
// panels of columns.
TEST_F(SettingEffect, GEMM_CACHE_BLOCKING) {
  using Unit = std::pair<int64_t, int64_t>;
  const auto unit = [&](const char* isa) {
    GraphMaker g;
    g.output(g.node("MatMul", {g.input("x", {1024, 4096}), weights(g, {4096, 256})}));
    const Target target = target_of(*find_isa(isa), MachineDescription{});
    const Schedule s = make_schedule(ops::lower(g.g), schedule_options(settings()), target);
    const auto plan = forms::plan_kernel({s, *kernels_of(s).at(0), target});
    const auto& tiles = dynamic_cast<const forms::TilesPlan&>(*plan.form);
    return Unit(tiles.blocks ? tiles.blocks->tiles : 1, tiles.panels_per_unit);
  };
  const auto see = [&] { return std::pair(unit("avx2"), unit("amx")); };
  const auto [plain, matrix] = see();
  using Units = std::pair<Unit, Unit>;
  expect_effect<Units>("2,3,0", see, {plain, matrix}, {{1, 3}, {2, 3}});
  EXPECT_NE(plain.second, 3);
  environment["CPPGEN_GEMM_CACHE_BLOCKING"] = "1,2,3";
  EXPECT_THROW(schedule_options(settings()), UserError);
}

TEST_F(SettingEffect, DECOMPOSE_MEM_BOUND_MM) {
  using Engine = std::pair<Engines, Engines>;
  const auto engines = [&](int64_t K) {
    GraphMaker g;
    g.output(g.node("MatMul", {g.input("x", {32, K}), weights(g, {K, 32})}));
    return engines_of(schedule_of(std::move(g), settings()));
  };
  const auto see = [&] { return Engine(engines(3), engines(4)); };
  expect_effect<Engine>("0", see, {{}, {"cppgen"}}, {{"cppgen"}, {"cppgen"}});
}

}  // namespace
}  // namespace cppgen
