#include "runtime/threads/region.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace cppgen::rt {
namespace {

struct Counts {
  std::vector<int> runs;
  std::vector<int> workers;
};

void count(void* ctx, int64_t chunk, int worker) {
  auto& counts = *static_cast<Counts*>(ctx);
  ++counts.runs[chunk];
  counts.workers.push_back(worker);
}

// The thread that opens a region finishes it when nobody else comes.
void run_to_end(Region& region, std::span<const StepView> steps) {
  region.open(steps, nullptr);
  EXPECT_TRUE(region.finished());
  EXPECT_FALSE(region.work(0));
}

TEST(Region, TheOpeningThreadRunsTheSharesOfAll) {
  for (int workers : {1, 2, 3, 8}) {
    for (int64_t chunks : {2, 3, 7, 8, 100}) {
      Counts counts{std::vector<int>(chunks), {}};
      StepView step{chunks, count, &counts};
      Region region(workers);
      run_to_end(region, {&step, 1});
      EXPECT_TRUE(region.close());
      EXPECT_EQ(counts.runs, std::vector<int>(chunks, 1)) << workers << " workers";
    }
  }
}

TEST(Region, MoreChunksThanUnitsAreClaimedInGroups) {
  for (int64_t chunks : {4, 5, 9, 1000, 1001}) {
    Counts counts{std::vector<int>(chunks), {}};
    StepView step{chunks, count, &counts};
    Region region(3, /*max_units=*/4);
    run_to_end(region, {&step, 1});
    EXPECT_TRUE(region.close());
    EXPECT_EQ(counts.runs, std::vector<int>(chunks, 1));
  }
}

TEST(Region, OneChunkStepsRunWithoutBeingDealtOut) {
  Counts counts{std::vector<int>(1), {}};
  std::vector<StepView> steps{{1, count, &counts}, {0, count, &counts}, {1, count, &counts}};
  Region region(4);
  uint64_t dealt = region.dealt();
  region.open(steps, nullptr);
  EXPECT_TRUE(region.finished());
  EXPECT_EQ(region.dealt(), dealt);
  EXPECT_EQ(counts.runs[0], 2);
  EXPECT_TRUE(region.close());
}

TEST(Region, BackwardsAShareBeginsWithItsLastChunk) {
  std::vector<int64_t> order;
  const auto note = [](void* ctx, int64_t chunk, int) { static_cast<std::vector<int64_t>*>(ctx)->push_back(chunk); };
  for (int64_t max_units : {100, 4}) {
    order.clear();
    StepView step{8, note, &order, true};
    Region region(2, max_units);
    run_to_end(region, {&step, 1});
    EXPECT_TRUE(region.close());
    const std::vector<int64_t> single = {3, 2, 1, 0, 4, 5, 6, 7}, pairs = {2, 3, 0, 1, 4, 5, 6, 7};
    EXPECT_EQ(order, max_units == 4 ? pairs : single);
  }
}

TEST(Region, IsUsedAgainAfterAnError) {
  StepView bad{3, [](void*, int64_t, int) { throw std::runtime_error("chunk"); }, nullptr};
  Counts counts{std::vector<int>(5), {}};
  StepView good{5, count, &counts};
  Region region(2);
  for (int round = 1; round <= 3; ++round) {
    run_to_end(region, {&bad, 1});
    EXPECT_THROW(region.close(), std::runtime_error);
    run_to_end(region, {&good, 1});
    EXPECT_TRUE(region.close());
    EXPECT_EQ(counts.runs, std::vector<int>(5, round));
  }
}

}  // namespace
}  // namespace cppgen::rt
