#include "cppgen/tune/regions.h"

#include <gtest/gtest.h>

namespace cppgen::tune {
namespace {

constexpr auto kContraction = schedule::TuningScope::site_contraction, kOther = schedule::TuningScope::site_other;

TEST(Regions, OnlyChangedCodeCounts) {
  const std::vector<SiteReport> usual{{"conv-1", kContraction, {"a"}, "x"}, {"add-2", kOther, {"b"}, "y"}};
  const std::vector<SiteReport> variant{{"conv-1", kContraction, {"a"}, "z"}, {"add-2", kOther, {"b"}, "y"}};
  const std::vector<StepTime> before{{{"a"}, 4}, {{"b"}, 2}}, after{{{"a"}, 3}, {{"b"}, 1}};
  const auto changed = changed_regions({usual, before}, {variant, after});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].sites, std::set<std::string>{"conv-1"});
  EXPECT_EQ(changed[0].usual_ms, 4);
  EXPECT_EQ(changed[0].ms, 3);
}

// The usual kernel computes both nodes; with the candidate each has its own.
TEST(Regions, JoinWhatOneStepComputesInEitherPackage) {
  const std::vector<SiteReport> usual{{"conv-1", kContraction, {"a", "b"}, "x"}};
  const std::vector<SiteReport> variant{{"conv-1", kContraction, {"a"}, "z"}, {"add-2", kOther, {"b"}, "y"}};
  const std::vector<StepTime> before{{{"a", "b"}, 4}}, after{{{"a"}, 3}, {{"b"}, 2}};
  const auto changed = changed_regions({usual, before}, {variant, after});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].usual_ms, 4);
  EXPECT_EQ(changed[0].ms, 5);
}

// Steps that write parts of one tensor are compared one by one if both packages have them.
TEST(Regions, StepsOfBothPackagesAreComparedByThemselves) {
  const std::vector<SiteReport> usual{{"conv-1", kContraction, {"a", "concat"}, "x"},
                                      {"conv-2", kContraction, {"b", "concat"}, "y"}};
  const std::vector<SiteReport> variant{{"conv-1", kContraction, {"a", "concat"}, "x"},
                                        {"conv-2", kContraction, {"b", "concat"}, "z"}};
  const std::vector<StepTime> before{{{"a", "concat"}, 4}, {{"b", "concat"}, 3}},
      after{{{"a", "concat"}, 5}, {{"b", "concat"}, 2}};
  const auto changed = changed_regions({usual, before}, {variant, after});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].sites, std::set<std::string>{"conv-2"});
  EXPECT_EQ(changed[0].usual_ms, 3);
  EXPECT_EQ(changed[0].ms, 2);
}

// A site has one choice, so its occurrences are compared together.
TEST(Regions, JoinOccurrencesOfOneSite) {
  const std::vector<SiteReport> usual{{"conv-1", kContraction, {"a"}, "x"}, {"conv-1", kContraction, {"b"}, "x"}};
  const std::vector<SiteReport> variant{{"conv-1", kContraction, {"a"}, "z"}, {"conv-1", kContraction, {"b"}, "z"}};
  const std::vector<StepTime> before{{{"a"}, 4}, {{"b"}, 4}}, after{{{"a"}, 3}, {{"b"}, 6}};
  const auto changed = changed_regions({usual, before}, {variant, after});
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].usual_ms, 8);
  EXPECT_EQ(changed[0].ms, 9);
}

}  // namespace
}  // namespace cppgen::tune
