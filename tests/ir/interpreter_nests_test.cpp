// Nests against plain C++ loops.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/errors.h"
#include "tests/ir/builders.h"

namespace cppgen::ir {
namespace {

HostTensor floats(std::vector<int64_t> dims, uint32_t seed) {
  HostTensor t{DType::f32, dims, {}};
  return tensor(DType::f32, dims, noise(t.elements(), seed));
}

struct MatmulCase {
  int64_t m, n, k;
  bool transposed;
};

class Matmul : public testing::TestWithParam<MatmulCase> {};

TEST_P(Matmul, IsTheSumOfProductsInDouble) {
  const auto [M, N, K, transposed] = GetParam();
  Program p;
  const IndexExpr rows = p.index->symbol("M"), inner = p.index->symbol("K");
  const BufferId a = input(p, "a", DType::f32, {rows, inner});
  const BufferId b = transposed ? input(p, "b", DType::f32, {N, inner}) : input(p, "b", DType::f32, {inner, N});
  const BufferId y = output(p, "y", DType::f32, {rows, N});
  NestBuilder nest(p, "matmul");
  const IndexExpr m = nest.loop("m", rows), n = nest.loop("n", N), k = nest.reduce("k", inner);
  const Expr rhs = transposed ? load(p, b, {n, k}) : load(p, b, {k, n});
  nest.store(y, {m, n}, nest.reduction(ReduceOp::sum, p.exprs->binary(BinaryOp::mul, load(p, a, {m, k}), rhs)));
  nest.nest.roles = {AxisRole::rows, AxisRole::columns, AxisRole::k};
  nest.done();
  verify(p);
  const HostTensor x = floats({M, K}, 1), w = transposed ? floats({N, K}, 2) : floats({K, N}, 2);
  const HostTensor result = interpret(p, {x, w})[0];
  EXPECT_EQ(result.dims, (std::vector<int64_t>{M, N}));
  for (int64_t i = 0; i < M; i++)
    for (int64_t j = 0; j < N; j++) {
      double sum = 0, scale = 0;
      for (int64_t l = 0; l < K; l++) {
        const float product = x.as<float>()[i * K + l] * w.as<float>()[transposed ? j * K + l : l * N + j];
        sum += product;
        scale += std::fabs(product);
      }
      ASSERT_NEAR(result.as<float>()[i * N + j], sum, 1e-7 * scale) << i << ", " << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Matmul,
                         testing::Values(MatmulCase{3, 5, 7, false}, MatmulCase{1, 1, 1, false},
                                         MatmulCase{2, 3, 1100, true}, MatmulCase{2, 1100, 3, false},
                                         MatmulCase{600, 2, 2, true}, MatmulCase{4, 4, 0, false},
                                         MatmulCase{0, 4, 4, false}, MatmulCase{17, 64, 513, true}));

TEST(Convolution, PaddedStridedAndGuarded) {
  const int64_t C = 3, O = 4, H = 9, W = 23, K = 3, S = 2, P = 1, OH = (H + 2 * P - K) / S + 1,
                OW = (W + 2 * P - K) / S + 1;
  Program p;
  const BufferId x = input(p, "x", DType::f32, {C, H, W}), w = input(p, "w", DType::f32, {O, C, K, K});
  const BufferId y = output(p, "y", DType::f32, {O, OH, OW});
  NestBuilder nest(p, "conv");
  const IndexExpr o = nest.loop("o", O), oh = nest.loop("h", OH), ow = nest.loop("w", OW);
  const IndexExpr c = nest.reduce("c", C), kh = nest.reduce("kh", K), kw = nest.reduce("kw", K);
  const IndexExpr ih = oh * S + kh - P, iw = ow * S + kw - P;
  const Expr zero = p.exprs->constant(DType::f32, 0);
  const Expr in = p.exprs->load(x, DType::f32, {c, ih, iw}, {{ih, 0, H}, {iw, 0, W}}, zero);
  const Expr sum = nest.reduction(ReduceOp::sum, p.exprs->binary(BinaryOp::mul, in, load(p, w, {o, c, kh, kw})));
  nest.store(y, {o, oh, ow}, p.exprs->binary(BinaryOp::max, sum, zero));
  nest.done();
  verify(p);
  const HostTensor xs = floats({C, H, W}, 3), ws = floats({O, C, K, K}, 4);
  const HostTensor result = interpret(p, {xs, ws})[0];
  for (int64_t i = 0; i < O * OH * OW; i++) {
    double expected = 0;
    for (int64_t j = 0; j < C * K * K; j++) {
      const int64_t row = i / OW % OH * S + j / K % K - P, column = i % OW * S + j % K - P;
      if (row < 0 || row >= H || column < 0 || column >= W) continue;
      expected += xs.as<float>()[(j / (K * K) * H + row) * W + column] * ws.as<float>()[i / (OH * OW) * C * K * K + j];
    }
    ASSERT_NEAR(result.as<float>()[i], std::max(expected, 0.0), 1e-5) << i;
  }
}

// softmax over rows in one nest per step, with values that overflow unless the maximum is subtracted
TEST(Reductions, SoftmaxInThreeNests) {
  for (const auto& [rows, columns] : {std::pair{700, 5}, {3, 1200}}) {
    Program p;
    const BufferId x = input(p, "x", DType::f32, {rows, columns}), y = output(p, "y", DType::f32, {rows, columns});
    const BufferId top = p.add_buffer("", DType::f32, {rows}, BufferKind::temporary);
    const BufferId total = p.add_buffer("", DType::f32, {rows}, BufferKind::temporary);
    ExprArena& e = *p.exprs;
    const auto shifted = [&](IndexExpr r, IndexExpr c) {
      return e.unary(UnaryOp::exp, e.binary(BinaryOp::sub, load(p, x, {r, c}), load(p, top, {r})));
    };
    NestBuilder first(p, "row_max"), second(p, "row_sum"), third(p, "divide");
    IndexExpr r = first.loop("r", rows), c = first.reduce("c", columns);
    first.store(top, {r}, first.reduction(ReduceOp::max, load(p, x, {r, c})));
    first.done();
    r = second.loop("r", rows), c = second.reduce("c", columns);
    second.store(total, {r}, second.reduction(ReduceOp::sum, shifted(r, c)));
    second.done();
    r = third.loop("r", rows), c = third.loop("c", columns);
    third.store(y, {r, c}, e.binary(BinaryOp::div, shifted(r, c), load(p, total, {r})));
    third.done();
    verify(p);
    HostTensor in = floats({rows, columns}, 5);
    for (int64_t i = 0; i < in.elements(); i++) in.as<float>()[i] *= 300;
    const HostTensor out = interpret(p, {in})[0];
    for (int64_t i = 0; i < rows; i++) {
      const float* row = in.as<float>() + i * columns;
      const float most = *std::max_element(row, row + columns);
      double sum = 0;
      for (int64_t j = 0; j < columns; j++) sum += std::exp(static_cast<double>(row[j] - most));
      for (int64_t j = 0; j < columns; j++)
        ASSERT_NEAR(out.as<float>()[i * columns + j], std::exp(static_cast<double>(row[j] - most)) / sum, 1e-6);
    }
  }
}

// One row of each reduction of x along its last dimension, as one-element outputs.
template <class T>
T reduce_all(DType type, ReduceOp op, const std::vector<T>& x) {
  Program p;
  const IndexExpr n = p.index->symbol("N");
  const BufferId a = input(p, "x", type, {n}), y = output(p, "y", type, {});
  NestBuilder b(p);
  const IndexExpr k = b.reduce("k", n);
  b.store(y, {}, b.reduction(op, load(p, a, {k})));
  b.done();
  verify(p);
  return interpret(p, {tensor(type, {static_cast<int64_t>(x.size())}, x)})[0].template as<T>()[0];
}

TEST(Reductions, OfNothingGiveTheIdentity) {
  const float inf = INFINITY;
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::sum, {}), 0);
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::prod, {}), 1);
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::min, {}), inf);
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::max, {}), -inf);
  EXPECT_EQ(reduce_all<int8_t>(DType::i8, ReduceOp::min, {}), 127);
  EXPECT_EQ(reduce_all<int64_t>(DType::i64, ReduceOp::max, {}), INT64_MIN);
  EXPECT_EQ(reduce_all<uint8_t>(DType::u8, ReduceOp::max, {}), 0);
  EXPECT_EQ(reduce_all<uint8_t>(DType::boolean, ReduceOp::any, {}), 0);
  EXPECT_EQ(reduce_all<uint8_t>(DType::boolean, ReduceOp::all, {}), 1);
}

TEST(Reductions, OfIntegersWrapAndOfFloatsKeepNaN) {
  EXPECT_EQ(reduce_all<int8_t>(DType::i8, ReduceOp::sum, {100, 100, 100}), 44);
  EXPECT_EQ(reduce_all<int32_t>(DType::i32, ReduceOp::prod, {1 << 20, 1 << 20, 3}), 0);
  EXPECT_EQ(reduce_all<int64_t>(DType::i64, ReduceOp::sum, {INT64_MAX, 1}), INT64_MIN);
  EXPECT_EQ(reduce_all<uint64_t>(DType::u64, ReduceOp::max, {1, UINT64_MAX}), UINT64_MAX);
  EXPECT_TRUE(std::isnan(reduce_all<float>(DType::f32, ReduceOp::min, {1, NAN, -1})));
  EXPECT_TRUE(std::isnan(reduce_all<double>(DType::f64, ReduceOp::max, {NAN, 3})));
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::max_number, {NAN, 3, NAN, -5}), 3);
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::max_number, {NAN}), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(reduce_all<uint64_t>(DType::u64, ReduceOp::max_number, {1, UINT64_MAX}), UINT64_MAX);
  EXPECT_FALSE(std::signbit(reduce_all<float>(DType::f32, ReduceOp::max, {-0.0f, 0.0f, -0.0f})));
  EXPECT_EQ(reduce_all<uint8_t>(DType::boolean, ReduceOp::any, {0, 1, 0}), 1);
  EXPECT_EQ(reduce_all<uint8_t>(DType::boolean, ReduceOp::all, {1, 1, 0}), 0);
  // In float32 the small terms would be lost.
  std::vector<float> terms(1001, 0.01f);
  terms[0] = 1e8f;
  EXPECT_EQ(reduce_all<float>(DType::f32, ReduceOp::sum, terms), static_cast<float>(1e8 + 1000 * double(0.01f)));
}

int64_t arg(ReduceOp op, bool last, const std::vector<float>& x, bool many_rows) {
  Program p;
  const int64_t n = static_cast<int64_t>(x.size()), rows = many_rows ? 50 : 1;
  const BufferId a = input(p, "x", DType::f32, {n}), y = output(p, "y", DType::i64, {rows});
  NestBuilder b(p);
  const IndexExpr r = b.loop("r", rows), k = b.reduce("k", n);
  b.store(y, {r}, b.reduction(op, load(p, a, {k}), k, last));
  b.done();
  verify(p);
  return interpret(p, {tensor(DType::f32, {n}, x)})[0].as<int64_t>()[rows - 1];
}

TEST(Reductions, ArgumentsOfExtremaBreakTiesAndPreferNaN) {
  for (const bool rows : {false, true}) {
    const std::vector<float> ties = {1, 5, -2, 5, -2, 0}, nan = {3, NAN, 9, NAN, -4};
    EXPECT_EQ(arg(ReduceOp::argmax, false, ties, rows), 1);
    EXPECT_EQ(arg(ReduceOp::argmax, true, ties, rows), 3);
    EXPECT_EQ(arg(ReduceOp::argmin, false, ties, rows), 2);
    EXPECT_EQ(arg(ReduceOp::argmin, true, ties, rows), 4);
    EXPECT_EQ(arg(ReduceOp::argmax, false, nan, rows), 1);
    EXPECT_EQ(arg(ReduceOp::argmax, true, nan, rows), 3);
    EXPECT_EQ(arg(ReduceOp::argmin, false, nan, rows), 1);
    EXPECT_EQ(arg(ReduceOp::argmax, false, {-INFINITY, -INFINITY}, rows), 0);
    std::vector<float> many(2000, 1.0f);
    many[777] = many[1500] = 2;
    EXPECT_EQ(arg(ReduceOp::argmax, false, many, rows), 777);
    EXPECT_EQ(arg(ReduceOp::argmax, true, many, rows), 1500);
  }
}

TEST(Nests, SeveralReductionsAndStoresShareTheirLoops) {
  Program p;
  const int64_t rows = 6, columns = 40;
  const BufferId x = input(p, "x", DType::f32, {rows, columns}), mean = output(p, "mean", DType::f32, {rows}),
                 spread = output(p, "spread", DType::f32, {rows});
  NestBuilder b(p);
  const IndexExpr r = b.loop("r", rows), c = b.reduce("c", columns);
  const Expr v = load(p, x, {r, c});
  ExprArena& e = *p.exprs;
  const Expr sum = b.reduction(ReduceOp::sum, v), least = b.reduction(ReduceOp::min, v),
             most = b.reduction(ReduceOp::max, v);
  b.store(mean, {r}, e.binary(BinaryOp::div, sum, e.constant(DType::f32, columns)));
  b.store(spread, {r}, e.binary(BinaryOp::sub, most, least));
  b.done();
  verify(p);
  const HostTensor in = floats({rows, columns}, 8);
  const auto out = interpret(p, {in});
  for (int64_t i = 0; i < rows; i++) {
    const float* row = in.as<float>() + i * columns;
    double total = 0;
    for (int64_t j = 0; j < columns; j++) total += row[j];
    EXPECT_EQ(out[0].as<float>()[i], static_cast<float>(total) / columns);
    EXPECT_EQ(out[1].as<float>()[i], *std::max_element(row, row + columns) - *std::min_element(row, row + columns));
  }
}

TEST(Nests, ReshapesTransposesAndGeneralIndices) {
  Program p;
  const IndexExpr n = p.index->symbol("N");
  const BufferId x = input(p, "x", DType::i32, {n, 6}), y = output(p, "y", DType::i32, {4, floordiv(n * 6, 4)});
  NestBuilder b(p);
  const IndexExpr width = floordiv(n * 6, 4), i = b.loop("i", 4), j = b.loop("j", width), flat = i * width + j;
  b.store(y, {i, j}, load(p, x, {floordiv(flat, 6), mod(flat, 6)}));
  b.done();
  verify(p);
  std::vector<int32_t> values(10 * 6);
  for (size_t k = 0; k < values.size(); k++) values[k] = static_cast<int32_t>(k * k);
  const auto out = interpret(p, {tensor(DType::i32, {10, 6}, values)});
  EXPECT_EQ(out[0].dims, (std::vector<int64_t>{4, 15}));
  EXPECT_EQ(values_of<int32_t>(out[0]), values);
}

// Divisions that are the same in all lanes, in a reduced loop and in an outer one: y[i, j] = sum over k of
// x[floordiv(i, 3), mod(i + k, 3), j] * w[floordiv(k, 2)]
TEST(Nests, DivisionsThatLanesShare) {
  Program p;
  const int64_t columns = 700;
  const BufferId x = input(p, "x", DType::f32, {4, 3, columns}), w = input(p, "w", DType::f32, {3}),
                 y = output(p, "y", DType::f32, {12, columns});
  NestBuilder b(p);
  const IndexExpr i = b.loop("i", 12), j = b.loop("j", columns), k = b.reduce("k", 5);
  const Expr value =
      p.exprs->binary(BinaryOp::mul, load(p, x, {floordiv(i, 3), mod(i + k, 3), j}), load(p, w, {floordiv(k, 2)}));
  b.store(y, {i, j}, b.reduction(ReduceOp::sum, value));
  b.done();
  verify(p);
  const HostTensor in = floats({4, 3, columns}, 6), weights = floats({3}, 7);
  const HostTensor out = interpret(p, {in, weights})[0];
  for (int64_t r = 0; r < 12; r++)
    for (int64_t c = 0; c < columns; c++) {
      double sum = 0;
      for (int64_t l = 0; l < 5; l++)
        sum += in.as<float>()[(r / 3 * 3 + (r + l) % 3) * columns + c] * weights.as<float>()[l / 2];
      ASSERT_NEAR(out.as<float>()[r * columns + c], sum, 1e-5);
    }
}

}  // namespace
}  // namespace cppgen::ir
