// Choices for single sites (engines, separate epilogues, constants of plans) and for whole programs.
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/kernel/plan.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

// Two products of different sizes, each with a Tanh, followed by a softmax.
struct Model {
  GraphMaker g;
  Model(const std::string& input = "a", int64_t rows = 64) {
    const auto weights = [&](int64_t from, int64_t to) {
      return g.floats({from, to}, std::vector<double>(size_t(from * to), 0.25));
    };
    const ValueId first = g.node("Tanh", {g.node("MatMul", {g.input(input, {rows, 48}), weights(48, 32)})});
    g.output(g.node("Softmax", {g.node("Tanh", {g.node("MatMul", {first, weights(32, 80)})})}, {{"axis", int64_t(1)}}));
  }
  Schedule schedule(Choices choices) {
    Options options;
    options.choices = std::make_shared<const Choices>(std::move(choices));
    return make_schedule(ops::lower(g.g), options, small_target());
  }
};

// The sites of all kernels.
std::vector<std::string> sites(const Schedule& s) {
  std::vector<std::string> list;
  for (const FusedKernel* kernel : kernels_of(s)) list.push_back(kernel->site);
  return list;
}

TEST(Choices, SitesAreEqualForEqualComputations) {
  const auto names = sites(Model().schedule({}));
  ASSERT_GE(names.size(), 3u);
  EXPECT_NE(names[0], names[1]);
  EXPECT_EQ(names, sites(Model("another_name").schedule({})));
  EXPECT_NE(names[0], sites(Model("a", 65).schedule({}))[0]);
  Model model;
  EXPECT_EQ(sites(make_schedule(ops::lower(model.g.g), {}, small_target()))[0], "") << "without choices";
}

TEST(Choices, ConcernTheirSiteOnly) {
  const std::string second = sites(Model().schedule({}))[1];
  const Schedule s = Model().schedule({{second, {"", false, "contraction_units=4"}}});
  const auto kernels = kernels_of(s);
  ASSERT_TRUE(kernels[1]->tuning);
  EXPECT_EQ(kernels[1]->tuning->contraction_units, 4);
  EXPECT_FALSE(kernels[0]->tuning);
  EXPECT_TRUE(decision(s.log, "tuning", second));
}

// Whether libxsmm supports a product depends on the CPU.
TEST(Choices, ABackendIsAskedFirst) {
  const std::string first = sites(Model().schedule({}))[0];
  const auto asked = [&](const Choice& choice) {
    std::vector<std::string> engines;
    for (const auto& e : Model().schedule({{first, choice}}).log.entries)
      if (e.rule == "engine") engines.push_back(e.subject.substr(e.subject.rfind(' ') + 1));
    return engines;
  };
  EXPECT_EQ(asked({"XSMM", false, ""}).at(0), "xsmm");
  EXPECT_NE(asked({}).at(0), "xsmm");
}

TEST(Choices, ASeparateEpilogueIsAKernelOfItsOwn) {
  Model model;
  const Schedule usual = model.schedule({});
  const Schedule separate = model.schedule({{sites(usual)[0], {"", true, ""}}});
  EXPECT_EQ(separate.steps.size(), usual.steps.size() + 1);
  const auto* tiles = std::get_if<FusedKernel>(&separate.steps[0]);
  ASSERT_TRUE(tiles && tiles->contraction);
  EXPECT_EQ(tiles->segments[0].stores[0].value->kind, ir::ExprKind::accumulator);
}

TEST(Choices, ConcernAWholeProgram) {
  const Target target = small_target();
  const Schedule usual = Model().schedule({});
  EXPECT_TRUE(usual.site.starts_with("program-"));
  EXPECT_FALSE(usual.tuning);
  EXPECT_EQ(&tuning_of(usual, target), &target.tuning);
  const std::string second = sites(usual)[1];
  const Schedule s =
      Model().schedule({{usual.site, {"", false, "streams=2"}}, {second, {"", false, "contraction_units=4"}}});
  EXPECT_EQ(s.site, usual.site);
  EXPECT_EQ(tuning_of(s, target).streams, 2);
  EXPECT_TRUE(decision(s.log, "tuning", usual.site));
  EXPECT_EQ(kernels_of(s)[1]->tuning->streams, 2) << "a site's constants are the program's but for its own";
  EXPECT_EQ(kernels_of(s)[1]->tuning->contraction_units, 4);
}

TEST(Choices, ConstantsThatDoNotExistAreErrors) {
  const std::string first = sites(Model().schedule({}))[0];
  EXPECT_THROW(Model().schedule({{first, {"", false, "no_such_constant=4"}}}), UserError);
}

}  // namespace
}  // namespace cppgen::schedule
