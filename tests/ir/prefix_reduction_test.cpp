// Cumulative reductions: found in a nest, and run one value after the other.
#include "cppgen/ir/program/prefix_reduction.h"

#include <gtest/gtest.h>

#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

struct Form {
  int64_t shift = 0;
  bool reverse = false;
  ReduceOp op = ReduceOp::sum;
  double fallback = 0;
  bool reads_point = false;  // the value depends on the point of the outer loop, too
};

// y[i, j] = op over r of x[r, j] where r <= i - shift; reverse: where r >= i + shift
Program cumulative(const Form& form) {
  Program p;
  const IndexExpr n = p.index->symbol("N"), m = p.index->symbol("M");
  const BufferId x = input(p, "x", DType::f32, {n, m}), y = output(p, "y", DType::f32, {n, m});
  NestBuilder b(p);
  const IndexExpr i = b.loop("i", n), j = b.loop("j", m), r = b.reduce("r", n);
  const IndexExpr distance = (form.reverse ? r - i : i - r) - form.shift;
  const IndexExpr row = form.reads_point ? min(i, r) : r;
  const Expr fallback = p.exprs->constant(DType::f32, form.fallback);
  const Expr value = p.exprs->load(x, DType::f32, {row, j}, {{distance, 0, n}}, fallback);
  b.store(y, {i, j}, b.reduction(form.op, value));
  b.done();
  verify(p);
  return p;
}

std::optional<PrefixReduction> found(const Form& form) {
  const Program p = cumulative(form);
  return prefix_reduction(std::get<LoopNest>(p.statements[0]));
}

TEST(PrefixReduction, IsFoundAlongItsLoop) {
  EXPECT_EQ(found({}), (PrefixReduction{0, 0, false}));
  EXPECT_EQ(found({1, false}), (PrefixReduction{0, 1, false}));
  EXPECT_EQ(found({0, true}), (PrefixReduction{0, 0, true}));
  EXPECT_EQ(found({2, true, ReduceOp::prod, 1}), (PrefixReduction{0, 2, true}));
}

TEST(PrefixReduction, OthersAreNone) {
  EXPECT_EQ(found({0, false, ReduceOp::sum, 1}), std::nullopt);
  EXPECT_EQ(found({0, false, ReduceOp::prod, 0}), std::nullopt);
  EXPECT_EQ(found({0, false, ReduceOp::max, 0}), std::nullopt);
  EXPECT_EQ(found({-1, false}), std::nullopt);
  EXPECT_EQ(found({0, false, ReduceOp::sum, 0, true}), std::nullopt);
}

TEST(PrefixReduction, GivesWhatEachPointAloneGives) {
  for (int64_t n : {0, 1, 2, 5})
    for (int64_t m : {0, 1, 3, 600})
      for (const Form& form :
           {Form{}, Form{1, false}, Form{0, true}, Form{3, true}, Form{1, true, ReduceOp::prod, 1}}) {
        const std::vector<float> x = noise(n * m, 7);
        const HostTensor y = interpret(cumulative(form), {tensor(DType::f32, {n, m}, x)})[0];
        ASSERT_EQ(y.dims, (std::vector<int64_t>{n, m}));
        for (int64_t i = 0; i < n; i++)
          for (int64_t j = 0; j < m; j++) {
            double expected = form.fallback;
            for (int64_t r = 0; r < n; r++) {
              if (form.reverse ? r < i + form.shift : r > i - form.shift) continue;
              const double value = x[size_t(r * m + j)];
              expected = form.op == ReduceOp::sum ? expected + value : expected * value;
            }
            ASSERT_FLOAT_EQ(y.as<float>()[i * m + j], float(expected)) << n << " " << m << " at " << i << ", " << j;
          }
      }
}

}  // namespace
}  // namespace cppgen::ir
