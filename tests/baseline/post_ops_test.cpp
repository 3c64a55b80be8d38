// Nodes that become post-operations, and nodes that must not.
#include <cmath>

#include "tests/baseline/fixture.h"

namespace cppgen::baseline {
namespace {

using Ints = std::vector<int64_t>;

struct PostOps : BaselineTest {
  GraphMaker m;

  ValueId weights(Ints dims) {
    const ir::HostTensor host = sample(DType::f32, dims, uint32_t(m.g.values.size() + 3));
    return m.g.add_constant("w" + std::to_string(m.g.values.size()), make_tensor(DType::f32, dims, host.bytes));
  }
  ValueId conv(ValueId x) {
    return m.node("Conv", {x, weights({16, 16, 3, 3}), weights({16})}, {{"pads", Ints{1, 1, 1, 1}}});
  }
  ValueId image(const char* name = "x") { return m.input(name, {1, 16, 8, 8}); }
  ValueId scalar(double c) { return m.floats({}, {c}); }
  int64_t primitives(ValueId output) { return expect_same(m, output).primitives; }
};

TEST_F(PostOps, ActivationAfterConvolution) { EXPECT_EQ(primitives(m.node("Relu", {conv(image())})), 1); }

TEST_F(PostOps, ClipAndScale) {
  const ValueId clipped = m.node("Clip", {conv(image()), scalar(0), scalar(0.75)});
  EXPECT_EQ(primitives(m.node("Mul", {clipped, scalar(2)})), 1);
}

TEST_F(PostOps, OneFunctionTwiceWithOtherParametersStaysApart) {
  const ValueId product = m.node("MatMul", {m.input("x", {6, 32}), weights({32, 48})});
  const ValueId sum = m.node("Add", {m.node("Mul", {product, scalar(0.5)}), m.input("y", {6, 48})});
  EXPECT_EQ(primitives(m.node("Mul", {sum, scalar(3)})), 2);
}

TEST_F(PostOps, ResidualBlock) {
  const ValueId x = m.node("Relu", {conv(image())});
  const ValueId inner = conv(m.node("Relu", {conv(x)}));
  EXPECT_EQ(primitives(m.node("Relu", {m.node("Add", {inner, x})})), 3);
}

TEST_F(PostOps, BothAddendsAreConvolutions) {
  const ValueId x = m.node("Relu", {conv(image())});
  EXPECT_EQ(primitives(m.node("Relu", {m.node("Add", {conv(x), conv(x)})})), 3);
}

TEST_F(PostOps, AnAddendThatLivesOnIsNotOverwritten) {
  const ValueId x = image(), a = conv(x), sum = m.node("Add", {conv(x), a});
  m.output(m.node("Mul", {a, sum}));
  m.output(a);
  expect_same(m.g);
}

TEST_F(PostOps, AViewOfAnAddendThatLivesOnIsNotOverwritten) {
  const ValueId x = image(), a = m.node("Relu", {conv(x)});
  const ValueId view = m.node("Reshape", {a, m.ints({1, 16, 8, 8, 1})});
  const ValueId sum = m.node("Add", {conv(x), m.node("Reshape", {view, m.ints({1, 16, 8, 8})})});
  m.output(m.node("Sigmoid", {sum}));
  m.output(m.node("Tanh", {a}));
  expect_same(m.g);
}

TEST_F(PostOps, AnAddendThatIsAnInputIsNotOverwritten) {
  const ValueId x = image(), y = image("y");
  EXPECT_EQ(primitives(m.node("Add", {y, conv(x)})), 1);
}

TEST_F(PostOps, ResultsWithTwoReadersStay) {
  const ValueId c = conv(image());
  m.output(m.node("Relu", {c}));
  m.output(m.node("Sigmoid", {c}));
  EXPECT_EQ(expect_same(m.g).primitives, 3);
}

TEST_F(PostOps, BiasOfAMatMul) {
  const ValueId product = m.node("MatMul", {m.input("x", {2, 6, 32}), weights({32, 48})});
  EXPECT_EQ(primitives(m.node("Relu", {m.node("Add", {weights({48}), product})})), 1);
}

TEST_F(PostOps, ResidualBehindAReshape) {
  const ValueId product = m.node("Gemm", {m.input("x", {6, 32}), weights({32, 48}), weights({48})});
  const ValueId rows = m.node("Reshape", {product, m.ints({1, 6, 48})});
  EXPECT_EQ(primitives(m.node("Add", {m.input("y", {1, 6, 48}), rows})), 1);
}

TEST_F(PostOps, AttentionScoresWithScaleAndMask) {
  const ValueId product = m.node("MatMul", {m.input("q", {1, 4, 16, 8}), m.input("k", {1, 4, 8, 16})});
  const ValueId scaled = m.node("Mul", {product, scalar(0.125)});
  expect_same(m, m.node("Softmax", {m.node("Add", {scaled, m.input("mask", {1, 1, 1, 16})})}, {{"axis", int64_t(-1)}}));
}

TEST_F(PostOps, FactorsOfBothOperands) {
  const ValueId q =
      m.node("Mul", {m.node("Transpose", {m.input("q", {16, 4, 8})}, {{"perm", Ints{1, 0, 2}}}), scalar(0.5)});
  const ValueId k =
      m.node("Mul", {m.node("Transpose", {m.input("k", {16, 4, 8})}, {{"perm", Ints{1, 2, 0}}}), scalar(0.5)});
  EXPECT_EQ(kinds(expect_same(m, m.node("MatMul", {q, k}))), Kinds{"matmul"});
}

TEST_F(PostOps, GeluByErf) {
  const ValueId x = m.node("MatMul", {m.input("x", {6, 32}), weights({32, 48})});
  const ValueId erf = m.node("Erf", {m.node("Div", {x, scalar(std::sqrt(2.0))})});
  const ValueId product = m.node("Mul", {x, m.node("Add", {erf, scalar(1)})});
  EXPECT_EQ(primitives(m.node("Mul", {product, scalar(0.5)})), 1);
}

TEST_F(PostOps, GeluByErfAlone) {
  const ValueId x = m.input("x", {6, 32});
  const ValueId erf = m.node("Erf", {m.node("Mul", {x, scalar(std::sqrt(0.5))})});
  const ValueId half = m.node("Mul", {scalar(0.5), x});
  EXPECT_EQ(primitives(m.node("Mul", {half, m.node("Add", {scalar(1), erf})})), 1);
}

TEST_F(PostOps, GeluByTanh) {
  const ValueId x = m.node("MatMul", {m.input("x", {6, 32}), weights({32, 48})});
  const ValueId cube = m.node("Mul", {x, m.node("Mul", {x, x})});
  const ValueId inner = m.node("Add", {x, m.node("Mul", {scalar(0.044715), cube})});
  const ValueId tanh = m.node("Tanh", {m.node("Mul", {scalar(std::sqrt(2 / M_PI)), inner})});
  const ValueId product = m.node("Mul", {x, m.node("Add", {scalar(1), tanh})});
  EXPECT_EQ(primitives(m.node("Mul", {scalar(0.5), product})), 1);
}

TEST_F(PostOps, Swish) {
  const ValueId x = conv(image());
  EXPECT_EQ(primitives(m.node("Mul", {x, m.node("Sigmoid", {x})})), 1);
}

TEST_F(PostOps, LayerNormalizationInParts) {
  const ValueId x = m.input("x", {2, 6, 32}),
                difference = m.node("Sub", {x, m.node("ReduceMean", {x}, {{"axes", Ints{-1}}})});
  const ValueId mean = m.node("ReduceMean", {m.node("Pow", {difference, scalar(2)})}, {{"axes", Ints{-1}}});
  const ValueId deviation = m.node("Sqrt", {m.node("Add", {mean, scalar(1e-5)})});
  const ValueId scaled = m.node("Mul", {m.node("Div", {difference, deviation}), weights({32})});
  EXPECT_EQ(kinds(expect_same(m, m.node("Add", {scaled, weights({32})}))), Kinds{"layer_normalization"});
}

TEST_F(PostOps, ScaleAndShiftPerChannel) {
  const ValueId x = m.node("MaxPool", {image()}, {{"kernel_shape", Ints{2, 2}}});
  const ValueId scaled = m.node("Mul", {x, weights({16, 1, 1})});
  EXPECT_EQ(primitives(m.node("Relu", {m.node("Add", {scaled, weights({16, 1, 1})})})), 2);
}

}  // namespace
}  // namespace cppgen::baseline
