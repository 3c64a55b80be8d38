#include <gtest/gtest.h>

#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

TEST(Print, Expressions) {
  IndexArena index;
  ExprArena e;
  const IndexExpr n = index.symbol("N"), i = index.loop("i", n), at = index.indirect(n);
  const Expr x = e.load(0, DType::f32, {i, i + 1}), big = e.unary(UnaryOp::exp, x);
  EXPECT_EQ(to_string(e.binary(BinaryOp::div, big, e.binary(BinaryOp::add, big, e.constant(DType::f32, 1)))),
            "t0 = exp(b0[i0, i0 + 1]); div(t0, add(t0, 1.0))");
  EXPECT_EQ(to_string(e.load(1, DType::f32, {i - 1}, {{i - 1, 0, n}}, e.constant(DType::f32, -0.5))),
            "(b1[i0 - 1] if 0 <= i0 - 1 < N else -0.5)");
  EXPECT_EQ(to_string(e.load(2, DType::i32, {at}, {}, nullptr, {{at.node(), e.load(3, DType::i64, {i})}})),
            "(b2[at0] where at0 = b3[i0])");
  EXPECT_EQ(to_string(e.select(e.constant_int(DType::boolean, 1), x, big)), "b0[i0, i0 + 1]");
  EXPECT_EQ(to_string(e.cast(DType::f64, e.index(i))), "float64(index(i0))");
  EXPECT_EQ(to_string(e.constant(DType::f64, 1)), "float64(1.0)");
  EXPECT_EQ(to_string(e.constant_int(DType::u8, 7)), "uint8(7)");
}

TEST(Print, Program) {
  Program p;
  const IndexExpr n = p.index->symbol("batch");
  const BufferId x = input(p, "x\n\"", DType::f16, {n, 64}),
                 w = constant<float>(p, DType::f32, {8, 64}, std::vector<float>(512)),
                 t = p.add_buffer("", DType::f32, {n, 8}, BufferKind::temporary), y = output(p, "y", DType::i64, {n});
  NestBuilder gemm(p, "gemm");
  const IndexExpr r = gemm.loop("r", n), c = gemm.loop("c", 8), k = gemm.reduce("k", 64);
  const Expr sum =
      gemm.reduction(ReduceOp::sum, p.exprs->binary(BinaryOp::mul, load(p, x, {r, k}), load(p, w, {c, k})));
  gemm.store(t, {r, c}, p.exprs->unary(UnaryOp::tanh, sum));
  gemm.nest.roles = {AxisRole::rows, AxisRole::columns, AxisRole::k};
  gemm.done();
  NestBuilder best(p, "arg_max");
  const IndexExpr i = best.loop("i", n), j = best.reduce("j", 8);
  best.store(y, {i}, best.reduction(ReduceOp::argmax, load(p, t, {i, j}), j, true));
  best.done();
  p.statements.push_back(LibraryCall{"sort", {t}, {t}, {1, n}, {0.5}, {"a", "b"}});
  EXPECT_EQ(to_string(p), R"(program
b0 input float16 [batch, 64] "x\x0a\""
b1 constant float32 [8, 64] "constant" = elided
b2 temporary float32 [batch, 8]
b3 output int64 [batch] "y"
nest gemm  # from "the_node"
  for r0 < batch, c0 < 8
  reduce k0 < 64
  acc0 = sum float32(mul(b0[r0, k0], b1[c0, k0]))
  b2[r0, c0] = tanh(acc0)
  roles rows, columns, k
nest arg_max  # from "the_node"
  for i0 < batch
  reduce j0 < 8
  acc0 = argmax int64(b2[i0, j0], at j0, last)
  b3[i0] = acc0
call sort  # from "a", "b"
  inputs b2
  outputs b2
  params 1, batch
  numbers 0.5
inputs b0
outputs b3
)");
}

}  // namespace
}  // namespace cppgen::ir
