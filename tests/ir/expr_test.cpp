#include "cppgen/ir/values/expr.h"

#include <gtest/gtest.h>

#include "cppgen/ir/values/op_table.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {
namespace {

constexpr DType kInts[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                           DType::u8, DType::u16, DType::u32, DType::u64};

struct ExprTest : testing::Test {
  IndexArena index;
  ExprArena e;
  IndexExpr n = index.symbol("N"), i = index.loop("i", n), j = index.loop("j", n);
  Expr f(double v) { return e.constant(DType::f32, v); }
  int64_t fold(BinaryOp op, DType t, int64_t a, int64_t b) {
    return e.binary(op, e.constant_int(t, a), e.constant_int(t, b))->int_value();
  }
};

TEST_F(ExprTest, EqualValuesAreOneNode) {
  const Expr x = e.load(0, DType::f32, {i});
  EXPECT_EQ(x, e.load(0, DType::f32, {i}));
  EXPECT_NE(x, e.load(0, DType::f32, {j}));
  EXPECT_EQ(e.binary(BinaryOp::add, x, f(1)), e.binary(BinaryOp::add, x, f(1)));
  EXPECT_NE(e.binary(BinaryOp::add, x, f(0.0)), e.binary(BinaryOp::add, x, f(-0.0)));
  EXPECT_EQ(e.load(0, DType::f16, {i})->type, DType::f32);
}

TEST_F(ExprTest, ConstantsAreRoundedToTheirType) {
  EXPECT_EQ(f(0.1)->float_value(), static_cast<double>(0.1f));
  EXPECT_EQ(e.constant_int(DType::u8, 300)->int_value(), 44);
  EXPECT_EQ(e.constant_int(DType::i8, 200)->int_value(), -56);
  EXPECT_EQ(e.constant_int(DType::boolean, 7)->int_value(), 1);
  EXPECT_EQ(e.constant(DType::i32, 1e20)->int_value(), INT32_MAX);
}

TEST_F(ExprTest, IntegersFoldWithWrappingAndTotalDivision) {
  EXPECT_EQ(fold(BinaryOp::add, DType::i8, 127, 1), -128);
  EXPECT_EQ(fold(BinaryOp::mul, DType::u16, 65535, 65535), 1);
  EXPECT_EQ(fold(BinaryOp::mul, DType::i64, INT64_MAX, 2), -2);
  EXPECT_EQ(fold(BinaryOp::div, DType::i32, -7, 2), -3);
  EXPECT_EQ(fold(BinaryOp::div, DType::i32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(fold(BinaryOp::div, DType::i64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(fold(BinaryOp::mod_trunc, DType::i32, -7, 3), -1);
  EXPECT_EQ(fold(BinaryOp::mod_floor, DType::i32, -7, 3), 2);
  EXPECT_EQ(fold(BinaryOp::mod_floor, DType::i32, 7, -3), -2);
  EXPECT_EQ(fold(BinaryOp::mod_trunc, DType::i64, INT64_MIN, -1), 0);
  EXPECT_EQ(fold(BinaryOp::pow, DType::i32, -2, 3), -8);
  EXPECT_EQ(fold(BinaryOp::pow, DType::i32, 2, -1), 0);
  EXPECT_EQ(fold(BinaryOp::shr, DType::i32, -8, 40), -1);
  EXPECT_EQ(fold(BinaryOp::shl, DType::u8, 1, 8), 0);
  EXPECT_EQ(fold(BinaryOp::shl, DType::u8, 3, 7), 128);
  for (DType t : kInts) {
    EXPECT_EQ(fold(BinaryOp::div, t, 5, 0), 0);
    EXPECT_EQ(fold(BinaryOp::mod_floor, t, 5, 0), 0);
    EXPECT_EQ(fold(BinaryOp::lt, t, 3, 4), 1);
  }
  EXPECT_EQ(fold(BinaryOp::lt, DType::u64, -1, 1), 0);
}

// The neutral operands are those of operations.def.
TEST_F(ExprTest, NeutralOperandsAreNeutral) {
  for (BinaryOp op : {
#define CPPGEN_BINARY(op, ...) BinaryOp::op,
#include "cppgen/ir/values/operations.def"
       }) {
    const BinaryRow& row = row_of(op);
    for (DType t : kInts)
      for (int64_t v : {0, 1, 5, 100}) {
        EXPECT_TRUE(row.side == NeutralSide::none || fold(op, t, v, row.neutral) == v) << row.name;
        EXPECT_TRUE(row.side != NeutralSide::either || fold(op, t, row.neutral, v) == v) << row.name;
      }
  }
}

int64_t start_of(const ReductionRow& row, DType t) {
  const bool is_signed = is_signed_int(t), eight = size_of(t) == 8;
  if (row.start == ReductionStart::greatest) return eight ? (is_signed ? INT64_MAX : -1) : range_of(t).greatest;
  if (row.start == ReductionStart::least) return eight ? (is_signed ? INT64_MIN : 0) : range_of(t).least;
  return row.start == ReductionStart::one;
}

TEST_F(ExprTest, ReductionsStartWithWhatChangesNothing) {
  for (ReduceOp op : {
#define CPPGEN_REDUCTION(op, ...) ReduceOp::op,
#include "cppgen/ir/values/operations.def"
       }) {
    const ReductionRow& row = row_of(op);
    if (allows(row.operands, DType::boolean))
      for (int64_t v : {0, 1}) {
        const bool starts_true = row.start == ReductionStart::one || row.start == ReductionStart::greatest;
        EXPECT_EQ(fold(*row.combine, DType::boolean, starts_true, v), v) << row.name;
      }
    for (DType t : kInts)
      for (int64_t v : {0, 1, 5, 100})
        EXPECT_TRUE(!allows(row.operands, t) || fold(*row.combine, t, start_of(row, t), v) == v) << row.name;
  }
}

TEST_F(ExprTest, NeutralOperandsAndConstantConditionsVanish) {
  const Expr k = e.index(i), x = e.load(0, DType::f32, {i});
  EXPECT_EQ(e.binary(BinaryOp::add, k, e.constant_int(DType::i64, 0)), k);
  EXPECT_EQ(e.binary(BinaryOp::mul, e.constant_int(DType::i64, 1), k), k);
  EXPECT_NE(e.binary(BinaryOp::add, x, f(0)), x);  // -0 + 0 is 0
  EXPECT_EQ(e.select(e.constant_int(DType::boolean, 1), x, f(3)), x);
  EXPECT_EQ(e.cast(DType::f32, x), x);
  EXPECT_EQ(e.cast(DType::u8, e.constant_int(DType::i64, -1))->int_value(), 255);
  EXPECT_EQ(e.cast(DType::i8, f(-300.7))->int_value(), -128);
  EXPECT_EQ(e.index(4)->kind, ExprKind::constant);
}

TEST_F(ExprTest, GuardsThatDecideThemselvesVanish) {
  const Expr always = e.load(0, DType::f32, {i}, {{i, 0, n}}, f(0));
  EXPECT_EQ(always, e.load(0, DType::f32, {i}));
  EXPECT_EQ(e.load(0, DType::f32, {i}, {{i - n, 0, n}, {i, 0, n}}, f(5))->guards.size(), 1u);
  const IndexExpr c = index.loop("c", 4);
  EXPECT_EQ(e.load(0, DType::f32, {c}, {{c - 9, 0, n}}, f(5)), f(5));
}

TEST_F(ExprTest, RefusesWrongTypes) {
  const Expr x = e.load(0, DType::f32, {i});
  EXPECT_THROW(e.binary(BinaryOp::add, x, e.index(i)), InternalError);
  EXPECT_THROW(e.binary(BinaryOp::bit_and, x, x), InternalError);
  EXPECT_THROW(e.unary(UnaryOp::exp, e.index(i)), InternalError);
  EXPECT_THROW(e.select(x, x, x), InternalError);
  EXPECT_THROW(e.constant(DType::f16, 1), InternalError);
  EXPECT_THROW(e.load(0, DType::f32, {i}, {{i - 1, 0, n}}, nullptr), InternalError);
}

TEST_F(ExprTest, RewriteSubstitutesIndicesAndLoads) {
  const Expr x = e.load(0, DType::f32, {i}), y = e.load(1, DType::f32, {i, j});
  const Expr sum = e.binary(BinaryOp::add, x, e.unary(UnaryOp::exp, y));
  Rewrite rules;
  rules.indices = {{i.node(), j + 1}};
  rules.replace_load = [&](Expr l) { return l->buffer == 1 ? f(2) : nullptr; };
  const Expr expected = e.binary(BinaryOp::add, e.load(0, DType::f32, {j + 1}), e.unary(UnaryOp::exp, f(2)));
  EXPECT_EQ(rewrite(e, sum, rules), expected);
  EXPECT_EQ(rewrite(e, sum, {}), sum);
  const Expr acc = e.accumulator(0, DType::f32);
  Rewrite results;
  results.replace_accumulator = [&](Expr) { return x; };
  EXPECT_EQ(rewrite(e, e.unary(UnaryOp::neg, acc), results), e.unary(UnaryOp::neg, x));
}

TEST_F(ExprTest, RewriteRenewsIndirectVariables) {
  const IndexExpr at = index.indirect(n);
  const Expr which = e.load(1, DType::i64, {i});
  const Expr gather = e.load(0, DType::f32, {at}, {}, nullptr, {{at.node(), which}});
  Rewrite shift;
  shift.indices = {{i.node(), j}};
  const Expr moved = rewrite(e, gather, shift);
  ASSERT_EQ(moved->indirects.size(), 1u);
  EXPECT_NE(moved->indirects[0].variable, at.node());
  EXPECT_EQ(moved->indirects[0].value, e.load(1, DType::i64, {j}));
  EXPECT_EQ(moved->indices[0], IndexExpr(moved->indirects[0].variable));
  EXPECT_EQ(rewrite(e, gather, shift), moved);  // the same again: still one value
}

TEST_F(ExprTest, PostorderHasOperandsFirstAndEachOnce) {
  const Expr x = e.load(0, DType::f32, {i}), s = e.binary(BinaryOp::mul, x, x), t = e.binary(BinaryOp::add, s, x);
  const Expr roots[] = {t, s};
  EXPECT_EQ(postorder(roots), (std::vector<Expr>{x, s, t}));
}

TEST_F(ExprTest, ExtremesIgnoreRepetitions) {
  const Expr x = e.load(0, DType::f32, {i}), y = e.load(1, DType::f32, {i});
  for (const BinaryOp op : {BinaryOp::min, BinaryOp::max}) {
    const Expr both = e.binary(op, x, y);
    EXPECT_EQ(e.binary(op, x, x), x);
    EXPECT_EQ(e.binary(op, both, x), both);
    EXPECT_EQ(e.binary(op, both, y), both);
    EXPECT_EQ(e.binary(op, e.binary(op, both, f(3)), x), e.binary(op, both, f(3)));
  }
  EXPECT_NE(e.binary(BinaryOp::min, e.binary(BinaryOp::max, x, y), x), x);
  EXPECT_NE(e.binary(BinaryOp::add, x, x), x);
}

}  // namespace
}  // namespace cppgen::ir
