#include <gtest/gtest.h>

#include "runtime/base/errors.h"
#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

// y[i] = x[i], and ways to break it.
struct Copy {
  Program p;
  IndexExpr n = p.index->symbol("N");
  BufferId x = input(p, "x", DType::f32, {n}), y = output(p, "y", DType::f32, {n});
  NestBuilder b{p, "copy"};
  IndexExpr i = b.loop("i", n);
  ExprArena& e = *p.exprs;
};

std::string refusal(Copy& c) {
  c.b.done();
  try {
    verify(c.p);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_REFUSED(copy, text) EXPECT_NE(refusal(copy).find(text), std::string::npos) << refusal(copy)

TEST(Verify, AcceptsASoundProgram) {
  Copy c;
  c.b.store(c.y, {c.i}, load(c.p, c.x, {c.i}));
  EXPECT_EQ(refusal(c), "");
}

TEST(Verify, NamesTheStatement) {
  Copy c;
  c.b.store(c.y, {c.i, c.i}, load(c.p, c.x, {c.i}));
  EXPECT_EQ(refusal(c), "loop IR, statement 0 (nest copy): b1 has rank 1 but is stored with 2 indices");
}

TEST(Verify, RefusesBadLoads) {
  Copy rank, type, unknown, own, early;
  rank.b.store(rank.y, {rank.i}, load(rank.p, rank.x, {}));
  EXPECT_REFUSED(rank, "b0 has rank 1 but is loaded with 0 indices");
  type.b.store(type.y, {type.i}, type.e.cast(DType::f32, type.e.load(type.x, DType::i32, {type.i})));
  EXPECT_REFUSED(type, "b0 holds float32 but is loaded as int32");
  unknown.b.store(unknown.y, {unknown.i}, unknown.e.load(9, DType::f32, {unknown.i}));
  EXPECT_REFUSED(unknown, "there is no buffer 9");
  own.p.statements.push_back(LibraryCall{"f", {own.x}, {own.y}, {}, {}, {}});
  own.b.store(own.y, {own.i}, load(own.p, own.y, {own.i}));
  EXPECT_REFUSED(own, "it loads b1, which it stores");
  const BufferId t = early.p.add_buffer("", DType::f32, {early.n}, BufferKind::temporary);
  early.b.store(early.y, {early.i}, load(early.p, t, {early.i}));
  EXPECT_REFUSED(early, "b2 is read before it is stored");
}

TEST(Verify, RefusesBadStores) {
  Copy type, to_input, outside, below;
  type.b.store(type.y, {type.i}, type.e.index(type.i));
  EXPECT_REFUSED(type, "b1 holds float32, but int64 is stored");
  to_input.b.store(to_input.x, {to_input.i}, to_input.e.constant(DType::f32, 0));
  EXPECT_REFUSED(to_input, "b0 is an input or constant, yet stored");
  const BufferId small = outside.p.add_buffer("", DType::f32, {8}, BufferKind::temporary);
  const IndexExpr j = outside.b.loop("j", 8);
  outside.b.store(small, {j + 1}, outside.e.constant(DType::f32, 0));
  EXPECT_REFUSED(outside, "the store to b2 may leave dimension 0: j0 + 1 is in [1, 8], the extent is 8");
  const IndexExpr k = below.b.loop("k", 8);
  const BufferId tiny = below.p.add_buffer("", DType::f32, {8}, BufferKind::temporary);
  below.b.store(tiny, {k - 1}, below.e.constant(DType::f32, 0));
  EXPECT_REFUSED(below, "may leave dimension 0");
}

TEST(Verify, RefusesVariablesOutOfScope) {
  Copy foreign, reduced;
  const IndexExpr other = foreign.p.index->loop("q", 3);
  foreign.b.store(foreign.y, {foreign.i}, load(foreign.p, foreign.x, {other}));
  EXPECT_REFUSED(foreign, "q0 is out of scope in q0");
  const IndexExpr k = reduced.b.reduce("k", 3);
  reduced.b.reduction(ReduceOp::sum, load(reduced.p, reduced.x, {k}));
  reduced.b.store(reduced.y, {reduced.i}, load(reduced.p, reduced.x, {k}));
  EXPECT_REFUSED(reduced, "k0 is out of scope in k0");
}

TEST(Verify, RefusesBadReductions) {
  Copy acc, nested, none, type;
  acc.b.store(acc.y, {acc.i}, acc.e.accumulator(0, DType::f32));
  EXPECT_REFUSED(acc, "there is no reduction 0");
  nested.b.reduce("k", 2);
  nested.b.reduction(ReduceOp::sum, nested.e.accumulator(0, DType::f32));
  nested.b.store(nested.y, {nested.i}, nested.e.accumulator(0, DType::f32));
  EXPECT_REFUSED(nested, "a reduction uses the result of a reduction");
  none.b.reduce("k", 2);
  none.b.store(none.y, {none.i}, none.e.constant(DType::f32, 1));
  EXPECT_REFUSED(none, "it has reduced loops but no reduction");
  type.b.reduction(ReduceOp::any, load(type.p, type.x, {type.i}));
  type.b.store(type.y, {type.i}, type.e.accumulator(0, DType::f32));
  EXPECT_REFUSED(type, "any of float32");
}

TEST(Verify, RefusesBadContractions) {
  Copy c;
  const IndexExpr k = c.b.reduce("k", 4);
  const Expr value = c.e.binary(BinaryOp::mul, load(c.p, c.x, {c.i}), load(c.p, c.x, {c.i + k}));
  c.b.store(c.y, {c.i}, c.b.reduction(ReduceOp::sum, value));
  c.b.nest.roles = {AxisRole::rows, AxisRole::k};
  EXPECT_REFUSED(c, "i0 is a row, but the right operand uses it");
  Copy count;
  count.b.store(count.y, {count.i}, load(count.p, count.x, {count.i}));
  count.b.nest.roles = {AxisRole::rows, AxisRole::k};
  EXPECT_REFUSED(count, "2 roles for 1 loops");
}

TEST(Verify, RefusesBadNamesConstantsAndOutputs) {
  Copy name;
  name.b.nest.name = "a/b";
  name.b.store(name.y, {name.i}, load(name.p, name.x, {name.i}));
  EXPECT_REFUSED(name, "its name is not an identifier");
  Copy size;
  constant<float>(size.p, DType::f32, {4}, {1, 2, 3});
  size.b.store(size.y, {size.i}, load(size.p, size.x, {size.i}));
  EXPECT_REFUSED(size, "the constant b2 has 12 bytes of 16");
  Copy missing;
  output(missing.p, "z", DType::f32, {});
  missing.b.store(missing.y, {missing.i}, load(missing.p, missing.x, {missing.i}));
  EXPECT_REFUSED(missing, "b2 is read before it is stored");
}

}  // namespace
}  // namespace cppgen::ir
