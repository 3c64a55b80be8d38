// Random expressions: what the simplifier makes of them means the same, stays itself, and its ranges hold.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {
namespace {

constexpr int kExpressions = 2000, kSamples = 12;

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// An expression as it was written, before any simplification.
struct Tree {
  enum Op { constant, variable, add, sub, mul, floordiv, mod, min, max } op;
  int64_t value = 0;  // constant; number of the variable
  std::shared_ptr<Tree> a, b;
};
using TreePtr = std::shared_ptr<Tree>;

struct Variables {
  IndexArena arena;
  std::vector<IndexExpr> all;

  Variables() {
    const IndexExpr n = arena.symbol("N", 1, 6), m = arena.symbol("M", 1);
    all = {n,
           m,
           arena.loop("i", 8),
           arena.loop("j", 3),
           arena.loop("k", n),
           arena.loop("l", m),
           arena.loop("t", n * m),
           arena.indirect(m)};
  }

  std::vector<int64_t> sample(std::mt19937& rng) const {
    const auto below = [&](int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(rng); };
    const int64_t n = 1 + below(6), m = 1 + below(9);
    return {n, m, below(8), below(3), below(n), below(m), below(n * m), below(m)};
  }

  IndexEnv env(const std::vector<int64_t>& values) const {
    return [this, values](const IndexNode& v) {
      for (size_t i = 0; i < all.size(); i++)
        if (all[i].node() == &v) return values[i];
      throw std::runtime_error("unknown variable " + v.name);
    };
  }
};

class Generator {
 public:
  Generator(std::mt19937& rng, const Variables& variables) : rng_(rng), variables_(variables) {}

  TreePtr tree(int depth) {
    if (depth == 0 || pick(6) == 0) return leaf();
    const auto op = static_cast<Tree::Op>(Tree::add + pick(7));
    if (op == Tree::floordiv || op == Tree::mod) return node(op, tree(depth - 1), divisor());
    if (op == Tree::mul && pick(3)) return node(op, tree(depth - 1), constant(pick(9) - 4));
    return node(op, tree(depth - 1), tree(depth - 1));
  }

 private:
  std::mt19937& rng_;
  const Variables& variables_;

  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng_); }
  static TreePtr node(Tree::Op op, TreePtr a, TreePtr b) {
    return std::make_shared<Tree>(Tree{op, 0, std::move(a), std::move(b)});
  }
  static TreePtr constant(int64_t v) { return std::make_shared<Tree>(Tree{Tree::constant, v, nullptr, nullptr}); }
  TreePtr variable(int i) { return std::make_shared<Tree>(Tree{Tree::variable, i, nullptr, nullptr}); }
  TreePtr leaf() { return pick(4) ? variable(pick(static_cast<int>(variables_.all.size()))) : constant(pick(25) - 12); }
  TreePtr divisor() {
    switch (pick(6)) {
      case 0:
        return variable(pick(2));
      case 1:
        return node(Tree::mul, variable(pick(2)), constant(1 + pick(4)));
      case 2:
        return node(Tree::mul, variable(0), variable(1));
      case 3:
        return node(Tree::add, variable(pick(8)), constant(1 + pick(3)));
      default:
        return constant(1 + pick(12));
    }
  }
};

IndexExpr build(const Tree& t, const Variables& v) {
  switch (t.op) {
    case Tree::constant:
      return t.value;
    case Tree::variable:
      return v.all[t.value];
    case Tree::add:
      return build(*t.a, v) + build(*t.b, v);
    case Tree::sub:
      return build(*t.a, v) - build(*t.b, v);
    case Tree::mul:
      return build(*t.a, v) * build(*t.b, v);
    case Tree::floordiv:
      return floordiv(build(*t.a, v), build(*t.b, v));
    case Tree::mod:
      return mod(build(*t.a, v), build(*t.b, v));
    case Tree::min:
      return min(build(*t.a, v), build(*t.b, v));
    case Tree::max:
      return max(build(*t.a, v), build(*t.b, v));
  }
  return 0;
}

int64_t value_of(const Tree& t, const std::vector<int64_t>& values) {
  if (t.op == Tree::constant) return t.value;
  if (t.op == Tree::variable) return values[t.value];
  const int64_t a = value_of(*t.a, values), b = value_of(*t.b, values);
  switch (t.op) {
    case Tree::add:
      return a + b;
    case Tree::sub:
      return a - b;
    case Tree::mul:
      return a * b;
    case Tree::floordiv:
      return floor_divide(a, b);
    case Tree::mod:
      return a - b * floor_divide(a, b);
    case Tree::min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

// Builds the expression anew from its parts.
IndexExpr rebuilt(IndexExpr e) {
  if (e.is_constant() || e.node()->op == IndexOp::variable) return e;
  const IndexNode& node = *e.node();
  if (node.op == IndexOp::sum) {
    IndexExpr sum = 0;
    for (const IndexTerm& t : node.terms) sum = sum + t.coefficient * rebuilt(IndexExpr(t.node));
    return sum + node.constant;
  }
  IndexExpr result = rebuilt(node.args[0]);
  for (size_t i = 1; i < node.args.size(); i++) {
    const IndexExpr b = rebuilt(node.args[i]);
    if (node.op == IndexOp::product) result = result * b;
    if (node.op == IndexOp::floordiv) result = floordiv(result, b);
    if (node.op == IndexOp::mod) result = mod(result, b);
    if (node.op == IndexOp::min) result = min(result, b);
    if (node.op == IndexOp::max) result = max(result, b);
  }
  return result;
}

TEST(RandomIndexExpressions, KeepTheirMeaningAndRange) {
  std::mt19937 rng(1);
  for (int n = 0; n < kExpressions; n++) {
    Variables variables;
    const TreePtr tree = Generator(rng, variables).tree(2 + n % 4);
    const IndexExpr e = build(*tree, variables);
    const IndexRange range = e.range();
    for (int s = 0; s < kSamples; s++) {
      const auto values = variables.sample(rng);
      const int64_t expected = value_of(*tree, values);
      ASSERT_EQ(evaluate(e, variables.env(values)), expected) << to_string(e);
      ASSERT_LE(range.lo, expected) << to_string(e);
      ASSERT_GE(range.hi, expected) << to_string(e);
    }
  }
}

TEST(RandomIndexExpressions, AreCanonical) {
  std::mt19937 rng(2);
  for (int n = 0; n < kExpressions; n++) {
    Variables variables;
    const IndexExpr e = build(*Generator(rng, variables).tree(2 + n % 4), variables);
    ASSERT_EQ(to_string(rebuilt(e)), to_string(e));
    ASSERT_EQ(rebuilt(e), e);
  }
}

TEST(RandomIndexExpressions, KeepTheirMeaningUnderSubstitution) {
  std::mt19937 rng(3);
  for (int n = 0; n < kExpressions; n++) {
    Variables variables;
    const TreePtr tree = Generator(rng, variables).tree(4);
    const IndexExpr e = build(*tree, variables);
    const auto values = variables.sample(rng);
    IndexMap some;
    for (size_t i = 0; i < values.size(); i++)
      if (rng() % 2) some.emplace(variables.all[i].node(), values[i]);
    ASSERT_EQ(evaluate(substitute(e, some), variables.env(values)), value_of(*tree, values)) << to_string(e);
  }
}

TEST(RandomIndexExpressions, ProofsHold) {
  std::mt19937 rng(4);
  int proved = 0;
  for (int n = 0; n < kExpressions; n++) {
    Variables variables;
    Generator generate(rng, variables);
    const IndexExpr a = build(*generate.tree(2), variables), b = build(*generate.tree(2), variables);
    const bool less = prove_less(a, b), less_equal = prove_less_equal(a, b), equal = prove_equal(a, b);
    proved += less_equal;
    for (int s = 0; s < kSamples; s++) {
      const IndexEnv env = variables.env(variables.sample(rng));
      const int64_t x = evaluate(a, env), y = evaluate(b, env);
      ASSERT_TRUE(!less || x < y) << to_string(a) << " < " << to_string(b);
      ASSERT_TRUE(!less_equal || x <= y) << to_string(a) << " <= " << to_string(b);
      ASSERT_TRUE(!equal || x == y) << to_string(a) << " = " << to_string(b);
    }
  }
  EXPECT_GT(proved, kExpressions / 20);
}

}  // namespace
}  // namespace cppgen::ir
