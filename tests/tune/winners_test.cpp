#include "cppgen/tune/winners.h"

#include <gtest/gtest.h>

namespace cppgen::tune {
namespace {

Winner winner(const std::string& name, std::set<std::string> sites) {
  Winner w;
  w.candidate.name = name;
  w.region = {std::move(sites), 2, 1};
  return w;
}

TEST(Winners, ThatSpillMoreThanTheUsualPlansAreDropped) {
  std::vector<Winner> winners{winner("wide", {"a", "b"}), winner("same", {"c"}), winner("fewer", {"d"}),
                              winner("WINOGRAD_4X4", {"b"})};
  winners.back().candidate.choice.backend = "WINOGRAD_4X4";  // loops of other work
  const std::map<std::string, int64_t> usual{{"a", 0}, {"c", 3}, {"d", 2}};
  const std::map<std::string, int64_t> chosen{{"a", 0}, {"b", 2}, {"c", 3}, {"d", 1}};
  const std::vector<std::string> reasons = drop_spilling(winners, usual, chosen);
  ASSERT_EQ(winners.size(), 3u);
  EXPECT_EQ(winners[0].candidate.name, "same");
  EXPECT_EQ(winners[1].candidate.name, "fewer");
  EXPECT_EQ(winners[2].candidate.name, "WINOGRAD_4X4");
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], "wide: its inner loops spill 2 vector registers at b, and 0 with the usual plan");
}

}  // namespace
}  // namespace cppgen::tune
