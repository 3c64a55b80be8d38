// One line a rule: what it makes of one expression. Rules without a line fail.
#include <gtest/gtest.h>

#include <set>

#include "cppgen/ir/index/expression_size.h"
#include "cppgen/ir/index/simplify_index.h"

namespace cppgen::ir {
namespace {

struct Vars {
  IndexArena arena;
  IndexExpr n = arena.symbol("N"), m = arena.symbol("M", 1);
  IndexExpr i = arena.loop("i", 100), j = arena.loop("j", 7), k = arena.loop("k", n), l = arena.loop("l", 2);
};

struct Row {
  const char* rule;
  IndexExpr (*left)(Vars&);   // dividend; first operand; a product whose sum with `right` is rewritten
  IndexExpr (*right)(Vars&);  // divisor; second operand
  const char* expected;
};

#define EXPR(e)              \
  [](Vars& v) -> IndexExpr { \
    (void)v;                 \
    return e;                \
  }

const Row kRows[] = {
    {"floordiv-one", EXPR(v.i), EXPR(1), "i0"},
    {"floordiv-range", EXPR(v.j + 21), EXPR(28), "0"},
    {"floordiv-range", EXPR(v.j - 7), EXPR(7), "-1"},
    {"floordiv-split", EXPR(6 * v.i + 4 * v.j + v.l), EXPR(2), "3*i0 + 2*j0"},
    {"floordiv-split", EXPR(v.i* v.n + v.k), EXPR(v.n), "i0"},
    {"floordiv-split", EXPR(v.i + 5), EXPR(2), "floordiv(i0 + 1, 2) + 2"},
    {"floordiv-split", EXPR(-7 * v.i), EXPR(2), "-3*i0 - floordiv(i0 + 1, 2)"},
    {"floordiv-split", EXPR((v.n + 1) * v.i + v.k), EXPR(v.n + 1), "i0"},
    {"floordiv-inside", EXPR(v.k), EXPR(v.n), "0"},
    {"floordiv-inside", EXPR(v.k - v.n), EXPR(v.n), "-1"},
    {"floordiv-common-factor", EXPR(7 * v.i + v.j), EXPR(14), "floordiv(i0, 2)"},
    {"floordiv-common-factor", EXPR(v.n* v.i + v.k), EXPR(3 * v.n), "floordiv(i0, 3)"},
    {"floordiv-nested", EXPR(floordiv(v.i, 3)), EXPR(4), "floordiv(i0, 12)"},
    {"floordiv-nested", EXPR(floordiv(v.i, 3) + 1), EXPR(4), "floordiv(i0 + 3, 12)"},
    {"floordiv-nested", EXPR(floordiv(v.i, v.n)), EXPR(v.m), "floordiv(i0, N*M)"},
    {"floordiv-of-mod", EXPR(mod(v.i, 12)), EXPR(4), "mod(floordiv(i0, 4), 3)"},
    {"floordiv-negative", EXPR(-1 * v.n), EXPR(7), "-floordiv(N + 6, 7)"},
    {"mod-one", EXPR(v.i), EXPR(1), "0"},
    {"mod-split", EXPR(6 * v.i + v.k + 9), EXPR(3), "mod(k0, 3)"},
    {"mod-split", EXPR(v.i* v.n + v.j), EXPR(v.n), "mod(j0, N)"},
    {"mod-constant-quotient", EXPR(v.k), EXPR(v.n), "k0"},
    {"mod-constant-quotient", EXPR(v.j - 7), EXPR(7), "j0"},
    {"mod-common-factor", EXPR(7 * v.i + v.j), EXPR(14), "j0 + 7*mod(i0, 2)"},
    {"mod-of-mod", EXPR(mod(v.i, 12)), EXPR(4), "mod(i0, 4)"},
    {"mod-of-mod", EXPR(7 - mod(v.n, 7)), EXPR(7), "-mod(N + 6, 7) + 6"},
    {"mod-of-mod", EXPR(2 * mod(v.n, 7) + 3 * v.i), EXPR(14), "mod(2*N + 3*i0, 14)"},
    {"mod-negative", EXPR(-1 * v.n), EXPR(7), "-mod(N + 6, 7) + 6"},
    {"mod-odd", EXPR(v.n + 1), EXPR(2), "-mod(N, 2) + 1"},
    {"min-ordered", EXPR(v.j), EXPR(7), "j0"},
    {"min-ordered", EXPR(v.n), EXPR(v.k), "k0"},
    {"max-ordered", EXPR(v.n), EXPR(0), "N"},
    {"max-ordered", EXPR(v.k), EXPR(v.n), "N"},
    {"sum-recompose", EXPR(4 * floordiv(v.i, 4)), EXPR(mod(v.i, 4)), "i0"},
    {"sum-recompose", EXPR(3 * v.n * floordiv(v.i, v.n)), EXPR(3 * mod(v.i, v.n)), "3*i0"},
    {"sum-recompose", EXPR(5 * floordiv(v.i, 4)), EXPR(mod(v.i, 4)), "i0 + floordiv(i0, 4)"},
    {"sum-merge-mods", EXPR(4 * mod(floordiv(v.i, 4), 3)), EXPR(mod(v.i, 4)), "mod(i0, 12)"},
    {"sum-remainder", EXPR(v.i), EXPR(-4 * floordiv(v.i, 4)), "mod(i0, 4)"},
    {"sum-remainder", EXPR(v.i), EXPR(-1 * v.m * floordiv(v.i, v.m)), "mod(i0, M)"},
    {"sum-quotient", EXPR(v.n + 6), EXPR(-1 * mod(v.n + 6, 7)), "7*floordiv(N + 6, 7)"},
    {"sum-quotient", EXPR(v.n), EXPR(-1 * mod(v.n + 6, 7)), "7*floordiv(N + 6, 7) - 6"},
    {"sum-cut", EXPR(min(v.n, 3)), EXPR(max(v.n - 3, 0)), "N"},
    {"sum-cut", EXPR(v.m* min(v.i, v.n)), EXPR(v.m* max(v.i - v.n, 0)), "M*i0"},
    {"sum-even", EXPR(v.n), EXPR(mod(v.n, 2)), "2*floordiv(N + 1, 2)"},
};

const IndexRule& rule_named(const std::string& name) {
  for (const IndexRule& r : index_rules())
    if (r.name == name) return r;
  throw std::runtime_error("no rule " + name);
}

TEST(IndexRules, EachRewritesAsItsRowSays) {
  for (const Row& row : kRows) {
    Vars v;
    const IndexRule& rule = rule_named(row.rule);
    const IndexExpr left = row.left(v), right = row.right(v);
    Polynomial sum(left);
    sum.add(Polynomial(right));
    const bool is_sum = rule.op == IndexOp::sum;
    const auto result = is_sum ? rule.apply(sum.to_expr(), 0) : rule.apply(left, right);
    ASSERT_TRUE(result) << row.rule << " does not match " << to_string(left) << ", " << to_string(right);
    EXPECT_EQ(to_string(*result), row.expected) << row.rule << ": " << rule.statement;
    const IndexExpr built = is_sum                         ? left + right
                            : rule.op == IndexOp::floordiv ? floordiv(left, right)
                            : rule.op == IndexOp::mod      ? mod(left, right)
                            : rule.op == IndexOp::min      ? min(left, right)
                                                           : max(left, right);
    EXPECT_EQ(built, *result) << row.rule;
  }
}

TEST(IndexRules, EachHasARow) {
  std::set<std::string> tested;
  for (const Row& row : kRows) tested.insert(row.rule);
  for (const IndexRule& rule : index_rules()) EXPECT_TRUE(tested.count(rule.name)) << rule.name;
}

// What contains itself many times is simplified once.
TEST(IndexRules, SharedExpressionsStayCheap) {
  Vars v;
  IndexExpr e = v.n, chain = v.n;
  for (int k = 0; k < 12; k++) {
    e = floordiv(e * (k + 3), k + 2) + mod(e, k + 2);
    chain = mod(chain + 1, v.m);
  }
  EXPECT_TRUE(is_small(chain));
  EXPECT_FALSE(is_small(e));
  EXPECT_TRUE(prove_less_equal(floordiv(v.n, 2), floordiv(v.n + 1, 2)));
  EXPECT_TRUE(prove_less_equal(v.n, 7 * floordiv(v.n + 6, 7)));
  EXPECT_FALSE(prove_less_equal(v.n, 7 * floordiv(v.n + 5, 7)));
}

TEST(IndexRules, ThatDoNotMatchLeaveTheExpression) {
  Vars v;
  EXPECT_EQ(to_string(floordiv(v.i, 3)), "floordiv(i0, 3)");
  EXPECT_EQ(to_string(floordiv(4 * v.i + v.j, 8)), "floordiv(4*i0 + j0, 8)");  // j0 may be 4 or more
  EXPECT_EQ(to_string(mod(v.i, v.n)), "mod(i0, N)");
  EXPECT_EQ(to_string(min(v.n, v.m)), "min(N, M)");
  EXPECT_EQ(to_string(floordiv(v.k, v.m)), "floordiv(k0, M)");
}

}  // namespace
}  // namespace cppgen::ir
