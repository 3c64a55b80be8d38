// Indices of reshapes, transposes and their compositions.
#include <gtest/gtest.h>

#include "cppgen/ir/index/index_expr.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {
namespace {

IndexExpr flatten(const std::vector<IndexExpr>& index, const std::vector<IndexExpr>& shape) {
  IndexExpr flat = 0;
  for (size_t d = 0; d < shape.size(); d++) flat = flat * shape[d] + index[d];
  return flat;
}

std::vector<IndexExpr> unflatten(IndexExpr flat, const std::vector<IndexExpr>& shape) {
  std::vector<IndexExpr> index(shape.size());
  IndexExpr stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = d == 0 ? floordiv(flat, stride) : mod(floordiv(flat, stride), shape[d]);
    stride = stride * shape[d];
  }
  return index;
}

// The index of the element after reshaping from one shape to another.
std::vector<IndexExpr> reshape(const std::vector<IndexExpr>& index, const std::vector<IndexExpr>& from,
                               const std::vector<IndexExpr>& to) {
  return unflatten(flatten(index, from), to);
}

struct Sizes {
  IndexExpr b, s, h, d;
};

class Reshapes : public testing::TestWithParam<bool> {
 protected:
  IndexArena arena;
  Sizes sizes() {
    if (GetParam()) return {arena.symbol("B"), arena.symbol("S"), arena.symbol("H"), arena.symbol("D")};
    return {2, 11, 12, 64};
  }
};

TEST_P(Reshapes, FlattenAndUnflattenIsTheIdentity) {
  const auto [B, S, H, D] = sizes();
  const std::vector<IndexExpr> i = {arena.loop("b", B), arena.loop("s", S), arena.loop("h", H), arena.loop("d", D)};
  EXPECT_EQ(reshape(i, {B, S, H, D}, {B, S, H, D}), i);
  const auto two = reshape(i, {B, S, H, D}, {B * S, H * D});
  EXPECT_EQ(two, (std::vector<IndexExpr>{i[0] * S + i[1], i[2] * D + i[3]}));
  EXPECT_EQ(reshape(two, {B * S, H * D}, {B, S, H, D}), i);
  const auto one = reshape(i, {B, S, H, D}, {B * S * H * D});
  EXPECT_EQ(reshape(one, {B * S * H * D}, {B, S, H, D}), i);
  const auto middle = reshape(i, {B, S, H, D}, {B, S * H, D});
  EXPECT_EQ(middle, (std::vector<IndexExpr>{i[0], i[1] * H + i[2], i[3]}));
}

TEST_P(Reshapes, UnflattenAndFlattenIsTheIdentity) {
  const auto [B, S, H, D] = sizes();
  const IndexExpr flat = arena.loop("t", B * S * H * D);
  EXPECT_EQ(flatten(unflatten(flat, {B, S, H, D}), {B, S, H, D}), flat);
  const IndexExpr rows = arena.loop("r", B * S), columns = arena.loop("c", H * D);
  const std::vector<IndexExpr> i = {rows, columns};
  EXPECT_EQ(reshape(reshape(i, {B * S, H * D}, {B, S, H, D}), {B, S, H, D}, {B * S, H * D}), i);
}

TEST_P(Reshapes, SplitHeadsAndTransposeBack) {
  const auto [B, S, H, D] = sizes();
  const IndexExpr b = arena.loop("b", B), h = arena.loop("h", H), s = arena.loop("s", S), d = arena.loop("d", D);
  // y[b, h, s, d] = x[b, s, (h d)]
  EXPECT_EQ(reshape({b, s, h, d}, {B, S, H, D}, {B, S, H * D}), (std::vector<IndexExpr>{b, s, h * D + d}));
  // z[b, s, (h d)] = y[b, h, s, d]: composed with the split this reads x at its own index
  const IndexExpr hd = arena.loop("hd", H * D);
  const auto split = reshape({b, s, hd}, {B, S, H * D}, {B, S, H, D});
  EXPECT_EQ(reshape(split, {B, S, H, D}, {B, S, H * D}), (std::vector<IndexExpr>{b, s, hd}));
}

TEST_P(Reshapes, SpaceToDepthAndBack) {
  const auto [B, S, H, D] = sizes();
  const IndexExpr c = arena.loop("c", D), y = arena.loop("y", 2 * S), x = arena.loop("x", 3 * H);
  const std::vector<IndexExpr> from = {D, 2 * S, 3 * H}, blocks = {D, S, 2, H, 3};
  const std::vector<IndexExpr> i = {c, y, x};
  EXPECT_EQ(reshape(reshape(i, from, blocks), blocks, from), i);
}

INSTANTIATE_TEST_SUITE_P(ConstantAndSymbolic, Reshapes, testing::Bool(),
                         [](const auto& info) { return info.param ? "Symbolic" : "Constant"; });

TEST(Proofs, UseTheExtentsOfLoops) {
  IndexArena arena;
  const IndexExpr n = arena.symbol("N"), m = arena.symbol("M"), p = arena.symbol("P", 1);
  const IndexExpr i = arena.loop("i", m), j = arena.loop("j", n);
  EXPECT_TRUE(prove_less(i * n + j, m * n));
  EXPECT_TRUE(prove_less(i, m));
  EXPECT_TRUE(prove_less_equal(0, i * n + j));
  EXPECT_TRUE(prove_less_equal(min(n, m), n));
  EXPECT_TRUE(prove_less_equal(n, max(n, m)));
  EXPECT_TRUE(prove_less(mod(i, p), p));
  EXPECT_TRUE(prove_less_equal(floordiv(i * n + j, 2), floordiv(m * n - 1, 2)));
  EXPECT_TRUE(prove_less_equal(p, p * p));
  EXPECT_FALSE(prove_less(i, n));
  EXPECT_FALSE(prove_less_equal(1, n));
  EXPECT_FALSE(prove_less_equal(n, n * n - 1));
  EXPECT_TRUE(prove_equal((n + 1) * (n - 1), n * n - 1));
  EXPECT_FALSE(prove_equal(n, m));
}

TEST(IndexQueries, StridesVariablesAndSubstitution) {
  IndexArena arena;
  const IndexExpr n = arena.symbol("N"), i = arena.loop("i", 8), j = arena.loop("i", n);
  const IndexExpr square = j * j;  // first, because terms are in the order in which they were made
  const IndexExpr e = 3 * n * i + square + 2;
  EXPECT_EQ(stride_of(e, i.node()), 3 * n);
  EXPECT_EQ(stride_of(e, j.node()), std::nullopt);
  EXPECT_EQ(stride_of(floordiv(i, 3) + j, i.node()), std::nullopt);
  EXPECT_EQ(stride_of(e, arena.loop("k", 2).node()), IndexExpr(int64_t{0}));
  EXPECT_TRUE(depends_on(floordiv(i, 3) + j, i.node()));
  EXPECT_FALSE(depends_on(floordiv(i, 3), j.node()));
  EXPECT_EQ(variables_of(floordiv(j, 3) + i).size(), 2u);
  EXPECT_EQ(to_string(e), "i1*i1 + 3*N*i0 + 2");
  EXPECT_EQ(substitute(e, {{i.node(), 2}, {j.node(), i}}), 6 * n + i * i + 2);
  EXPECT_EQ(substitute(floordiv(i + j, 4), {{i.node(), 4 * j}}), j + floordiv(j, 4));
  EXPECT_EQ(arena.symbol("N"), n);
}

TEST(IndexErrors, OverflowAndMisuse) {
  IndexArena arena;
  const IndexExpr n = arena.symbol("N");
  EXPECT_THROW(n * (int64_t{1} << 62) * 4, UserError);
  EXPECT_THROW(IndexExpr(int64_t{1} << 62) * 4, UserError);
  EXPECT_THROW(n.constant(), InternalError);
  EXPECT_THROW(floordiv(n, -2), InternalError);
  EXPECT_EQ(floordiv(n, 0), 0);  // a dimension of size 0: no point evaluates it
}

}  // namespace
}  // namespace cppgen::ir
