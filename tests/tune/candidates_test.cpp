#include "cppgen/tune/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cppgen::tune {
namespace {

using Scope = schedule::TuningScope;

std::vector<Candidate> all(const std::vector<std::pair<std::string, std::string>>& options = {}) {
  return candidates(Settings::from_environment({{"HOME", "/nowhere"}}, options), schedule::Tuning(16));
}

bool has(const std::vector<Candidate>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Candidate& c) { return c.name == name; });
}

TEST(Candidates, AreValuesThatTuningAllows) {
  for (const auto& options : {all(), all({{"MAX_AUTOTUNE_GEMM_SEARCH_SPACE", "EXHAUSTIVE"}})})
    for (const Candidate& c : options)
      EXPECT_NO_THROW(schedule::tuned(schedule::Tuning(16), c.choice.tuning)) << c.name;
}

TEST(Candidates, HalveAndDoubleConstants) {
  EXPECT_TRUE(has(all(), "contraction_units=8") && has(all(), "contraction_units=32"));
  EXPECT_FALSE(has(all(), "contraction_units=16")) << "the usual value";
  EXPECT_TRUE(has(all(), "XSMM") && has(all(), "ONEDNN") && !has(all(), "CPP"));
}

TEST(Candidates, ListedEnginesAreTheOnlyOnes) {
  const auto list = all({{"MAX_AUTOTUNE_GEMM_BACKENDS", "CPP,XSMM"}, {"MAX_AUTOTUNE_CONV_BACKENDS", "ONEDNN,CPP"}});
  EXPECT_TRUE(has(list, "XSMM"));
  EXPECT_FALSE(has(list, "ONEDNN")) << "the first one is the usual one";
  EXPECT_FALSE(has(all({{"MAX_AUTOTUNE_GEMM_BACKENDS", "CPP"}, {"MAX_AUTOTUNE_CONV_BACKENDS", "CPP"}}), "XSMM"));
}

// Each list is for its own contractions.
TEST(Candidates, EnginesAreForProductsOrConvolutions) {
  const auto list = all({{"MAX_AUTOTUNE_GEMM_BACKENDS", "CPP,XSMM"}, {"MAX_AUTOTUNE_CONV_BACKENDS", "ONEDNN,CPP"}});
  const SiteReport product{"matmul-1", Scope::site_contraction, {"a"}, ""},
      convolution{"conv-1", Scope::site_contraction, {"b"}, "", true}, other{"add-1", Scope::site_other, {"c"}, ""};
  for (const Candidate& c : list) {
    if (c.name == "XSMM") EXPECT_TRUE(concerns(c, product) && !concerns(c, convolution) && !concerns(c, other));
    if (c.name == "CPP") EXPECT_TRUE(!concerns(c, product) && concerns(c, convolution) && !concerns(c, other));
    if (c.name == "contraction_units=8") EXPECT_TRUE(concerns(c, product) && concerns(c, convolution));
  }
  EXPECT_TRUE(has(list, "CPP"));
  EXPECT_TRUE(has(all(), "WINOGRAD_4X4"));
}

TEST(Candidates, AreOfTheWholeProgramIfNoKindIsGiven) {
  const auto whole = [](const Candidate& c) { return c.scope == Scope::whole; };
  const auto list = all();
  EXPECT_TRUE(has(list, "split_points=16384") && std::any_of(list.begin(), list.end(), whole));
  const auto gemm = all({{"MAX_AUTOTUNE_GEMM", "1"}});
  EXPECT_TRUE(std::none_of(gemm.begin(), gemm.end(), whole));
}

TEST(Candidates, ChangeNoBitsIfTheSettingSays) {
  const auto list = all({{"DETERMINISTIC", "1"}});
  EXPECT_TRUE(has(list, "contraction_units=8"));
  EXPECT_FALSE(has(list, "XSMM") || has(list, "split_points=16384") || has(list, "row_accumulators=2"));
}

TEST(Candidates, NeighboursAreDoublings) {
  const Candidate start{"contraction_units=8", Scope::site_contraction, {"", false, "contraction_units=8"}};
  const auto near = neighbours(start, schedule::Tuning(16), 1);
  ASSERT_EQ(near.size(), 1u) << "twice it is the usual value";
  EXPECT_EQ(near[0].name, "contraction_units=4");
  EXPECT_TRUE(neighbours({"XSMM", Scope::site_contraction, {"XSMM", false, ""}}, schedule::Tuning(16), 1).empty());
}

TEST(Candidates, PairsAreOfDifferentConstantsOfOneKind) {
  const Candidate a{"column_work=8192", Scope::site_other, {"", false, "column_work=8192"}};
  const Candidate b{"window_work=16384", Scope::site_other, {"", false, "window_work=16384"}};
  const Candidate c{"tile_start=0.6", Scope::site_contraction, {"", false, "tile_start=0.6"}};
  ASSERT_TRUE(both(a, b));
  EXPECT_EQ(both(a, b)->choice.tuning, "column_work=8192,window_work=16384");
  EXPECT_FALSE(both(b, a)) << "one order is enough";
  EXPECT_FALSE(both(a, a));
  EXPECT_FALSE(both(a, c));
}

}  // namespace
}  // namespace cppgen::tune
