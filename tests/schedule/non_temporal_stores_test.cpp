// Tests of the results that are written with non-temporal stores.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

std::vector<size_t> stores_around(GraphMaker& g, int64_t l3_bytes) {
  Target target = small_target();
  target.l3_bytes = l3_bytes;
  const Schedule schedule = make_schedule(ops::lower(g.g), {}, target);
  std::vector<size_t> counts;
  for (const auto* k : kernels_of(schedule)) counts.push_back(k->non_temporal.size());
  return counts;
}

using Counts = std::vector<size_t>;

GraphMaker sum_of_two() {
  GraphMaker g;
  g.output(g.node("Add", {g.input("x", {64, 64}), g.input("y", {64, 64})}));
  return g;
}

TEST(StoresAroundCaches, OnlyWhereTheKernelTouchesMoreThanTheLastCache) {
  GraphMaker fits = sum_of_two(), exceeds = sum_of_two(), unknown = sum_of_two();
  EXPECT_EQ(stores_around(fits, 3 * 64 * 64 * 4), Counts{0});
  EXPECT_EQ(stores_around(exceeds, 3 * 64 * 64 * 4 - 1), Counts{1});
  EXPECT_EQ(stores_around(unknown, 0), Counts{0});
}

TEST(StoresAroundCaches, NotOfWhatAnotherKernelReads) {
  GraphMaker g;
  const ValueId sum = g.node("Add", {g.input("x", {64, 64}), g.input("y", {64, 64})});
  g.output(sum);
  g.output(g.node("MatMul", {sum, g.input("w", {64, 64})}));
  EXPECT_EQ(stores_around(g, 1024)[0], 0u);
}

TEST(StoresAroundCaches, NotOfReductionsAndUnknownSizes) {
  GraphMaker reduction, symbolic;
  reduction.output(reduction.node("Softmax", {reduction.input("x", {64, 64})}));
  symbolic.output(symbolic.node("Relu", {symbolic.input("x", {symbolic.symbol("N")})}));
  EXPECT_EQ(stores_around(reduction, 1024), Counts{0});
  EXPECT_EQ(stores_around(symbolic, 1024), Counts{0});
}

}  // namespace
}  // namespace cppgen::schedule
