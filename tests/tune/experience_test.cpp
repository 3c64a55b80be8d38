// Tests of the rule that learns from measurements, also on models that it has not seen.
#include "cppgen/tune/experience.h"

#include <gtest/gtest.h>

#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"

namespace cppgen::tune {
namespace {

using Scope = schedule::TuningScope;

const TuningPlace kPlace{"a CPU", "avx2", 2, {"g++"}, "1"};
const Candidate kBlock{"pointwise_block=1024", Scope::site_other, {"", false, "pointwise_block=1024"}};
const Candidate kSplit{"split_points=65536", Scope::whole, {"", false, "split_points=65536"}};
const std::vector<SiteReport> kRelus{{"relu-1", Scope::site_other, {"a"}, ""},
                                     {"conv-1", Scope::site_contraction, {}, ""}};

class Learning : public testing::Test {
 protected:
  TempDirectory folder{system_temp_directory(), "cppgen-test."};
  std::string file() const { return folder.path() + "/outcomes.jsonl"; }
  Experience experience(const TuningPlace& place = kPlace) const { return Experience(file(), place); }

  // Observes so many regions of relus with this ratio.
  void observe(const std::string& model, int count, double ratio, const Candidate& candidate = kBlock) const {
    Journal journal("");
    Outcome outcome;
    for (int i = 0; i < count; i++) outcome.regions.push_back({{"relu-" + std::to_string(i)}, 1, ratio});
    journal.add(candidate.name, outcome);
    Experience learning = experience();
    learning.add({candidate}, journal, model, 2.0 * count);
    learning.save();
  }
};

TEST_F(Learning, NeedsManyObservationsOfSeveralModels) {
  observe("a", 7, 1.1);
  EXPECT_FALSE(experience().is_hopeless(kBlock, kRelus));
  observe("a", 7, 1.1);
  EXPECT_FALSE(experience().is_hopeless(kBlock, kRelus)) << "one model";
  observe("b", 1, 1.1);
  EXPECT_TRUE(experience().is_hopeless(kBlock, kRelus));
  EXPECT_FALSE(experience().is_hopeless(kBlock, {{"tanh-1", Scope::site_other, {}, ""}})) << "another kind of sites";
}

TEST_F(Learning, OneGainIsEnough) {
  observe("a", 20, 1.0), observe("b", 20, 1.0);
  EXPECT_TRUE(experience().is_hopeless(kBlock, kRelus));
  observe("c", 1, 0.9);
  EXPECT_FALSE(experience().is_hopeless(kBlock, kRelus));
}

TEST_F(Learning, JudgesEachModelByTheOthers) {
  observe("a", 8, 1.1), observe("b", 8, 1.1), observe("c", 1, 0.8);
  const auto misses = experience().misses();
  EXPECT_EQ(misses.observed, 17);
  EXPECT_EQ(misses.skipped, 1) << "the gain of c keeps the measurements of a and b";
  ASSERT_EQ(misses.of.size(), 1u);
  EXPECT_EQ(misses.of[0].model, "c");
  const auto rows = experience().rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].observed, 17);
  EXPECT_EQ(rows[0].faster, 1);
  EXPECT_EQ(rows[0].best, 0.8);
}

// What is noise in a region is a gain of a whole run.
TEST_F(Learning, APercentOfAWholeRunIsAGain) {
  const std::vector<SiteReport> program{{"program-1", Scope::whole, {}, ""}};
  for (int i = 0; i < 8; i++) observe("model " + std::to_string(i), 1, 1.1, kSplit);
  EXPECT_TRUE(experience().is_hopeless(kSplit, program));
  observe("another", 1, 0.96, kSplit);  // of half of a run
  EXPECT_FALSE(experience().is_hopeless(kSplit, program));
}

// The savings of a whole run count for a whole program.
TEST_F(Learning, CountsWholeProgramsOnce) {
  observe("a", 10, 0.9, kSplit);
  const auto rows = experience().rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, "program");
  EXPECT_EQ(rows[0].observed, 1);
  EXPECT_NEAR(rows[0].best, 1 - 10 * 0.1 / 20, 1e-12);
}

TEST_F(Learning, OtherPlacesAndBrokenLinesDoNotCount) {
  observe("a", 8, 1.1), observe("b", 8, 1.1);
  TuningPlace other = kPlace;
  other.threads = 4;
  EXPECT_FALSE(experience(other).is_hopeless(kBlock, kRelus));
  ASSERT_EQ(write_file(file(), read_file(file()) + "{\"cpu\": \"a C"), 0);
  EXPECT_TRUE(experience().is_hopeless(kBlock, kRelus));
}

}  // namespace
}  // namespace cppgen::tune
