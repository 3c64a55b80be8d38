// The passes of a schedule: their names, the options that skip them, and the error if one breaks a rule.
#include "cppgen/schedule/pipeline.h"

#include <set>

#include "cppgen/passes/pipeline.h"
#include "runtime/base/errors.h"
#include "tests/property/compare_results.h"
#include "tests/property/differential.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

std::vector<Pass> all_passes() {
  std::vector<Pass> all;
  for (const auto passes : {program_passes(), fusion_passes(), kernel_passes()})
    all.insert(all.end(), passes.begin(), passes.end());
  return all;
}

GraphMaker product() {
  GraphMaker g;
  const ValueId x = g.node("Relu", {g.input("x", {6, 40})});
  g.output(g.node("MatMul", {x, g.floats({40, 64}, std::vector<double>(size_t(40 * 64), 0.5))}));
  return g;
}

TEST(SchedulePipeline, TracesCarryTheNamesOfThePasses) {
  std::vector<std::string> expected, traced;
  for (const Pass& pass : all_passes())
    if (!pass.option || Options().*pass.option) expected.push_back(pass.name);
  GraphMaker g = product();
  make_schedule(ops::lower(g.g), {}, small_target(),
                [&](const char* pass, const DraftState&) { traced.push_back(pass); });
  EXPECT_EQ(traced, expected);
}

TEST(SchedulePipeline, PassesWhoseOptionIsOffAreLeftOut) {
  Options options;
  options.layout_optimization = false;
  std::set<std::string> traced;
  GraphMaker g = product();
  make_schedule(ops::lower(g.g), options, small_target(),
                [&](const char* pass, const DraftState&) { traced.insert(pass); });
  EXPECT_FALSE(traced.count("pad_conflicting_rows"));
  EXPECT_TRUE(traced.count("plan_layouts"));
}

TEST(SchedulePipeline, PassesThatAreDisabledAreLeftOut) {
  Options options;
  options.disabled_passes = {"fuse_epilogues", "merge_rows"};
  std::set<std::string> traced;
  GraphMaker g = product();
  make_schedule(ops::lower(g.g), options, small_target(),
                [&](const char* pass, const DraftState&) { traced.insert(pass); });
  EXPECT_FALSE(traced.count("fuse_epilogues") || traced.count("merge_rows"));
  EXPECT_TRUE(traced.count("inline_cheap") && traced.count("make_steps"));
}

TEST(SchedulePipeline, FaultsAreReportedWithTheirPass) {
  std::vector<Pass> passes = all_passes();
  passes.push_back({"lose_a_step", [](Draft& d) { d.schedule.steps.erase(d.schedule.steps.begin()); }});
  const Options options;
  const Target target = small_target();
  Draft draft{options, target};
  GraphMaker g;
  g.output(g.node("Softmax", {g.node("Softmax", {g.input("x", {6, 40})})}, {{"axis", int64_t(0)}}));
  draft.program() = ops::lower(g.g);
  try {
    run_passes(passes, draft);
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("after the pass lose_a_step: schedule, ")) << error.what();
  }
}

rt::Tensor copy_of(const ir::HostTensor& t) {
  rt::Tensor copy(t.type, t.dims);
  if (!t.bytes.empty()) std::memcpy(copy.data(), t.bytes.data(), t.bytes.size());
  return copy;
}

// Compares the program of a random graph after all passes except those of one name with the program before.
void expect_same_meaning(uint64_t seed, const std::string& left_out) {
  property::Case c = property::make_case(seed);
  Graph graph = c.random.graph;
  if (c.run_passes) passes::run_passes(graph);
  c.options.weight_prepack = false;  // so that packing is also a nest that the interpreter runs
  const Target target = small_target();
  Draft draft{c.options, target};
  const Program before = draft.program() = ops::lower(graph);
  std::vector<Pass> passes = all_passes();
  std::erase_if(passes, [&](const Pass& pass) { return pass.name == left_out; });
  run_passes(passes, draft);
  const auto inputs = property::inputs_of(c, c.random.symbol_value);
  std::vector<ir::HostTensor> expected;
  try {
    expected = ir::interpret(before, inputs);
  } catch (const UserError&) {
    return;
  }
  const auto actual = ir::interpret(draft.program(), inputs);
  for (size_t o = 0; o < expected.size(); o++)
    EXPECT_EQ(property::difference(expected[o], copy_of(actual[o]), c.random.facts[size_t(c.random.graph.outputs[o])]),
              "")
        << "without " << left_out << ": " << property::describe(c);
}

TEST(SchedulePipeline, SchedulesComeAboutWithoutAnyPassThatIsNotNeeded) {
  uint64_t seed = 1;
  for (const Pass& pass : all_passes())
    for (int i = 0; i < 6 && !pass.needed; i++) expect_same_meaning(seed++, pass.name);
}

}  // namespace
}  // namespace cppgen::schedule
