#include "cppgen/support/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace cppgen {
namespace {

using Items = std::vector<size_t>;

Items first(size_t count) {
  Items items(count);
  std::iota(items.begin(), items.end(), size_t{0});
  return items;
}

// The fault needs these items.
struct Needs {
  Items needed;
  int asked = 0;
  ShowsFault shows() {
    return [this](const Items& items) {
      asked++;
      EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
      return std::includes(items.begin(), items.end(), needed.begin(), needed.end());
    };
  }
};

TEST(Shrink, OneItemIsFoundByHalving) {
  for (size_t bad : {0, 1, 199, 200, 250, 399}) {
    Needs needs{{bad}};
    EXPECT_EQ(halve(first(400), needs.shows()), Items{bad});
    EXPECT_LE(needs.asked, 27);
  }
}

TEST(Shrink, NeighboursAreFoundWhereverTheyLie) {
  for (size_t bad = 0; bad + 1 < 64; bad++) {
    Needs needs{{bad, bad + 1}};
    const Items halved = halve(first(64), needs.shows());
    EXPECT_LE(halved.size(), 8u) << bad;
    EXPECT_EQ(remove_windows(halved, needs.shows()), needs.needed);
  }
}

TEST(Shrink, ItemsFarApartAreFoundByRemovingWindows) {
  Needs needs{{3, 57, 99}};
  EXPECT_EQ(halve(first(100), needs.shows()), first(100));
  needs.asked = 0;
  EXPECT_EQ(remove_windows(first(100), needs.shows()), needs.needed);
  EXPECT_LE(needs.asked, 60);
}

// Parts that become removable only after others.
TEST(Shrink, RemovesUntilNoItemCanBeRemovedAlone) {
  const ShowsFault shows = [](const Items& items) {
    const std::set<size_t> set(items.begin(), items.end());
    return set.count(2) && (set.count(5) || !set.count(7));
  };
  EXPECT_EQ(remove_windows(first(10), shows), Items{2});
}

TEST(Shrink, TheLastItemIsKept) {
  const ShowsFault always = [](const Items&) { return true; };
  EXPECT_EQ(halve(first(9), always).size(), 1u);
  EXPECT_EQ(remove_windows(first(9), always).size(), 1u);
  EXPECT_EQ(halve(first(1), always), first(1));
}

TEST(Shrink, TheFewestFirstItemsAreFoundByBisection) {
  for (size_t needed = 0; needed <= 33; needed++) {
    int asked = 0;
    const auto shows = [&](size_t number) { return asked++, number >= needed; };
    EXPECT_EQ(fewest_first(33, shows, [] { return true; }), needed);
    EXPECT_LE(asked, needed == 0 ? 1 : 7);
  }
  EXPECT_EQ(fewest_first(
                0, [](size_t) { return false; }, [] { return true; }),
            0u);
  EXPECT_EQ(fewest_first(
                8, [](size_t) { return false; }, [] { return false; }),
            std::nullopt);
}

}  // namespace
}  // namespace cppgen
