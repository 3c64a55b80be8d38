// fuse() preserves the meaning of programs: random graphs with random settings, interpreted before and after.
#include <cstring>

#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/schedule.h"
#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"
#include "tests/property/compare_results.h"
#include "tests/property/differential.h"

namespace cppgen::schedule {
namespace {

rt::Tensor copy_of(const ir::HostTensor& t) {
  rt::Tensor r(t.type, t.dims);
  if (!t.bytes.empty()) std::memcpy(r.data(), t.bytes.data(), t.bytes.size());
  return r;
}

TEST(Fuse, KeepsTheMeaningOfRandomPrograms) {
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= 120; seed++) {
    property::Case c = property::make_case(seed);
    Graph graph = c.random.graph;
    if (c.run_passes) passes::run_passes(graph);
    ir::Program before = ops::lower(graph), after = before;
    Target target;
    target.tuning = property::tuning_of(c, target.tuning);
    DecisionLog log;
    if (seed % 2) c.options.max_pointwise_cat_inputs = 1 + int64_t(seed % 8);
    fuse(after, c.options, target, log);
    ir::verify(after);
    auto inputs = property::inputs_of(c, c.random.symbol_value);
    std::vector<ir::HostTensor> expected;
    try {
      expected = ir::interpret(before, inputs);
    } catch (const UserError&) {
      continue;
    }
    auto actual = ir::interpret(after, inputs);
    for (size_t o = 0; o < expected.size(); o++) {
      ValueId v = c.random.graph.outputs[o];
      EXPECT_EQ(property::difference(expected[o], copy_of(actual[o]), c.random.facts[size_t(v)]), "")
          << property::describe(c);
    }
    compared++;
  }
  EXPECT_GE(compared, 110u);
}

}  // namespace
}  // namespace cppgen::schedule
