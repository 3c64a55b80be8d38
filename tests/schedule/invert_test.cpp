// invert(): the position at which a producer, which writes at writes[], computes the element reads[] of a consumer.
#include "cppgen/schedule/fusion/invert.h"

#include <gtest/gtest.h>

namespace cppgen::schedule {
namespace {

using ir::floordiv;
using ir::IndexExpr;
using ir::mod;

struct Inverting : testing::Test {
  ir::IndexArena arena;
  ir::Loop loop(const char* name, IndexExpr extent) { return {arena.loop(name, extent), extent}; }
  static IndexExpr at(const ir::IndexMap& map, const ir::Loop& l) { return map.at(l.var.node()); }
};

TEST_F(Inverting, Permutation) {
  auto i = loop("i", 4), j = loop("j", 5), p = loop("p", 5), q = loop("q", 4);
  auto map = invert({i, j}, {j.var, i.var}, {p.var, q.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(at(*map, i) == q.var);
  EXPECT_TRUE(at(*map, j) == p.var);
}

TEST_F(Inverting, MixedRadix) {
  // The consumer reads b * 6 + s of one dimension; the producer writes k.
  auto b = loop("b", 4), s = loop("s", 6), k = loop("k", 24);
  auto map = invert({b, s}, {b.var * 6 + s.var}, {k.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(ir::prove_equal(at(*map, b), floordiv(k.var, 6)));
  EXPECT_TRUE(ir::prove_equal(at(*map, s), mod(k.var, 6)));
}

TEST_F(Inverting, Split) {
  // The consumer's one loop reads (v / 8, v % 8); the producer writes (h, d).
  auto v = loop("v", 32), h = loop("h", 4), d = loop("d", 8);
  auto map = invert({v}, {floordiv(v.var, 8), mod(v.var, 8)}, {h.var, d.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(ir::prove_equal(at(*map, v), h.var * 8 + d.var));
}

TEST_F(Inverting, SplitAndPermutation) {
  auto t = loop("t", 3), v = loop("v", 32), h = loop("h", 4), d = loop("d", 8), r = loop("r", 3);
  auto map = invert({t, v}, {floordiv(v.var, 8), t.var, mod(v.var, 8)}, {h.var, r.var, d.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(at(*map, t) == r.var);
  EXPECT_TRUE(ir::prove_equal(at(*map, v), h.var * 8 + d.var));
}

TEST_F(Inverting, Shuffle) {
  // The consumer reads (v % 4) * 34 + v / 4; the producer writes g * 34 + c.
  auto v = loop("v", 136), g = loop("g", 4), c = loop("c", 34);
  auto map = invert({v}, {mod(v.var, 4) * 34 + floordiv(v.var, 4)}, {g.var * 34 + c.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(ir::prove_equal(at(*map, v), c.var * 4 + g.var));
}

TEST_F(Inverting, ShuffleOfThreeDigits) {
  auto v = loop("v", 60), w = loop("w", 60);
  auto read = mod(v.var, 3) * 20 + mod(floordiv(v.var, 3), 4) + floordiv(v.var, 12) * 4;
  auto map = invert({v}, {read}, {w.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(ir::prove_equal(ir::substitute(read, *map), w.var));
  EXPECT_FALSE(invert({v}, {mod(v.var, 3) * 10 + floordiv(v.var, 3)}, {w.var}));  // not all elements
}

TEST_F(Inverting, LoopsOfOnePointAreZero) {
  auto i = loop("i", 1), j = loop("j", 5), p = loop("p", 5);
  auto map = invert({i, j}, {j.var}, {p.var});
  ASSERT_TRUE(map);
  EXPECT_TRUE(at(*map, i).is_constant(0));
}

TEST_F(Inverting, RefusesWhatIsNoPermutation) {
  auto i = loop("i", 8), j = loop("j", 8), p = loop("p", 8), q = loop("q", 8);
  EXPECT_FALSE(invert({i, j}, {i.var, i.var}, {p.var, q.var}));          // j is not read
  EXPECT_FALSE(invert({i}, {i.var + 1}, {p.var}));                       // shifted: the ends differ
  EXPECT_FALSE(invert({i}, {i.var * 2}, {p.var}));                       // every second element
  EXPECT_FALSE(invert({i, j}, {i.var + j.var, j.var}, {p.var, q.var}));  // skewed
}

TEST_F(Inverting, RefusesDigitsOfALoopThatMayBeEmpty) {
  IndexExpr n = arena.symbol("N");
  auto b = loop("b", 4), s = loop("s", n - 1), k = loop("k", n * 4 - 4);
  EXPECT_FALSE(invert({b, s}, {b.var * (n - 1) + s.var}, {k.var}));
}

}  // namespace
}  // namespace cppgen::schedule
