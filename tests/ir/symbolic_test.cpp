#include <gtest/gtest.h>

#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

struct Shapes {
  Program p;
  IndexExpr b = p.index->symbol("B"), s = p.index->symbol("S");
  ExprArena& e = *p.exprs;
  Expr i64(int64_t v) { return e.constant_int(DType::i64, v); }
};

// Reshape's target in exported attention: Concat(Gather(shape, 0), -1 replaced by S * 12, 64)
TEST(Symbolic, ShapeGatherMulConcat) {
  Shapes t;
  Program& p = t.p;
  const BufferId shape = input(p, "shape", DType::i64, {3}), which = constant<int64_t>(p, DType::i64, {2}, {0, -2}),
                 picked = p.add_buffer("", DType::i64, {2}, BufferKind::temporary), y = output(p, "y", DType::i64, {3});
  NestBuilder gather(p, "gather"), mul(p, "mul"), rest(p, "concat");
  const IndexExpr i = gather.loop("i", 2), at = p.index->indirect(3);
  gather.store(picked, {i}, t.e.load(shape, DType::i64, {at}, {}, nullptr, {{at.node(), load(p, which, {i})}}));
  gather.done();
  const IndexExpr j = mul.loop("j", 2);
  const Expr factor = t.e.select(t.e.binary(BinaryOp::eq, t.e.index(j), t.i64(0)), t.i64(1), t.i64(12));
  mul.store(y, {j}, t.e.binary(BinaryOp::mul, load(p, picked, {j}), factor));
  mul.done();
  rest.store(y, {2}, t.i64(64));
  rest.done();
  verify(p);
  const auto out = interpret_symbolic(p, {{t.b, t.s, 768}});
  ASSERT_TRUE(out);
  EXPECT_EQ((*out)[0], (SymbolicTensor{t.b, 12 * t.s, 64}));
}

TEST(Symbolic, ReductionsAndArithmetic) {
  Shapes t;
  Program& p = t.p;
  const BufferId shape = input(p, "shape", DType::i64, {3}), y = output(p, "y", DType::i32, {});
  NestBuilder size(p, "size");
  const IndexExpr k = size.reduce("k", 3);
  const Expr all = size.reduction(ReduceOp::prod, load(p, shape, {k}));
  size.store(y, {}, t.e.cast(DType::i32, t.e.binary(BinaryOp::div, all, t.i64(64))));
  size.done();
  verify(p);
  EXPECT_EQ((*interpret_symbolic(p, {{t.b, t.s, 64}}))[0], (SymbolicTensor{t.b * t.s}));
  EXPECT_EQ((*interpret_symbolic(p, {{7, 20, 3}}))[0], (SymbolicTensor{6}));
}

TEST(Symbolic, GuardsAndComparisonsAreDecidedByRanges) {
  Shapes t;
  Program& p = t.p;
  const BufferId x = input(p, "x", DType::i64, {2}), y = output(p, "y", DType::i64, {4});
  NestBuilder pad(p, "pad");
  const IndexExpr i = pad.loop("i", 4);
  const Expr v = t.e.load(x, DType::i64, {i - 1}, {{i - 1, 0, 2}}, t.i64(5));
  pad.store(y, {i}, t.e.select(t.e.binary(BinaryOp::lt, v, t.i64(0)), t.i64(-1), v));
  pad.done();
  verify(p);
  EXPECT_EQ((*interpret_symbolic(p, {{t.b, -3}}))[0], (SymbolicTensor{5, t.b, -1, 5}));
  EXPECT_FALSE(interpret_symbolic(p, {{t.b - t.s, 0}}));  // its sign is open
}

TEST(Symbolic, GivesUpWhereItMust) {
  Shapes t;
  Program& p = t.p;
  const BufferId x = input(p, "x", DType::i64, {2}), y = output(p, "y", DType::f32, {2});
  NestBuilder nest(p);
  const IndexExpr i = nest.loop("i", 2);
  nest.store(y, {i}, t.e.cast(DType::f32, load(p, x, {i})));
  nest.done();
  EXPECT_FALSE(interpret_symbolic(p, {{t.b, 1}}));  // floats
  Program q;
  const BufferId z = input(q, "z", DType::i64, {2}), r = output(q, "r", DType::i64, {2});
  q.statements.push_back(LibraryCall{"sort", {z}, {r}, {}, {}, {}});
  EXPECT_FALSE(interpret_symbolic(q, {{1, 2}}));
  Program c;
  const BufferId from = input(c, "from", DType::i64, {2}), to = output(c, "to", DType::i64, {2});
  NestBuilder copy(c);
  const IndexExpr k = copy.loop("k", 2);
  copy.store(to, {k}, load(c, from, {k}));
  copy.done();
  EXPECT_TRUE(interpret_symbolic(c, {{1, 2}}, 2));
  EXPECT_FALSE(interpret_symbolic(c, {{1, 2}}, 1));  // too many elements
  EXPECT_FALSE(interpret_symbolic(c, {{}}));         // unknown input
}

}  // namespace
}  // namespace cppgen::ir
