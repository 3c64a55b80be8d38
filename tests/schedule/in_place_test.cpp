// Results that are stored in the memory of an input.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

// Updates of data that one kernel computes; another kernel reads the result.
GraphMaker scattered(bool data_is_output, bool updates_itself) {
  GraphMaker g(18);
  const ValueId data = g.node("Softmax", {g.input("x", {64, 8})});
  const ValueId updates = updates_itself ? data : g.input("u", {64, 8});
  const ValueId y = g.node("ScatterElements", {data, g.input("i", {64, 8}, DType::i64), updates});
  g.output(g.node("Softmax", {y}));
  if (data_is_output) g.output(data);
  return g;
}

size_t in_place_count(GraphMaker g) {
  return make_schedule(ops::lower(g.g, {.library = true}), {}, small_target()).in_place.size();
}

TEST(InPlace, ScattersUpdateDataThatDies) {
  EXPECT_EQ(in_place_count(scattered(false, false)), 1u);
  EXPECT_EQ(in_place_count(scattered(false, true)), 0u);
  EXPECT_EQ(in_place_count(scattered(true, false)), 0u);
}

}  // namespace
}  // namespace cppgen::schedule
