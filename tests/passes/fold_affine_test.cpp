#include "cppgen/passes/channel_affine.h"
#include "cppgen/passes/passes.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kChannels = 3;

struct ConvMaker : GraphMaker {
  explicit ConvMaker(int opset = 17) : GraphMaker(opset) {}

  ValueId numbers(std::vector<int64_t> dims, uint32_t seed) {
    ir::HostTensor t = sample(DType::f32, dims, seed);
    return g.add_constant("w" + std::to_string(g.values.size()), make_tensor(DType::f32, dims, t.bytes));
  }
  ValueId conv(bool bias) {
    std::vector<ValueId> inputs{input("x", {2, 4, 5, 5}), numbers({kChannels, 4, 3, 3}, 7)};
    if (bias) inputs.push_back(numbers({kChannels}, 8));
    return node("Conv", inputs);
  }
  ValueId batch_normalization(ValueId x) {
    return node("BatchNormalization", {x, numbers({kChannels}, 9), numbers({kChannels}, 10), numbers({kChannels}, 11),
                                       floats({kChannels}, {0.5, 1.5, 3})});
  }
};

// Runs the pass and compares meanings; returns what remains.
Ops after(GraphMaker& m) {
  auto before = run(m.g);
  fold_affine(m.g);
  verify(m.g);
  auto now = run(m.g);
  for (size_t k = 0; k < before.size(); k++) {
    EXPECT_EQ(before[k].dims, now[k].dims);
    for (int64_t i = 0; i < before[k].elements(); i++)
      EXPECT_NEAR(before[k].as<float>()[i], now[k].as<float>()[i], 2e-5) << i;
  }
  return op_names(m.g);
}

TEST(FoldAffine, BatchNormalizationIntoConv) {
  for (bool bias : {false, true}) {
    ConvMaker m;
    m.output(m.node("Relu", {m.batch_normalization(m.conv(bias))}));
    EXPECT_EQ(after(m), (Ops{"Conv", "Relu"}));
    EXPECT_EQ(m.g.nodes[0].inputs.size(), 3u);
  }
}

TEST(FoldAffine, ChainsOfArithmetic) {
  ConvMaker m(9);
  ValueId v = m.batch_normalization(m.conv(true));
  v = m.node("Mul", {v, m.numbers({kChannels, 1, 1}, 20)});
  v = m.node("Add", {m.numbers({1, kChannels, 1, 1}, 21), v});
  v = m.node("Sub", {v, m.floats({}, {0.25})});
  v = m.node("Sub", {m.floats({1}, {2}), v});
  v = m.node("Div", {v, m.floats({kChannels, 1, 1}, {3, 4, 5})});
  m.output(v);
  EXPECT_EQ(after(m), Ops{"Conv"});
}

TEST(FoldAffine, AChainWithoutConvBecomesMulAndAdd) {
  ConvMaker m;
  ValueId v = m.node("Relu", {m.input("x", {2, kChannels, 4})});
  v = m.node("Mul", {m.batch_normalization(v), m.numbers({kChannels, 1}, 20)});
  m.output(m.node("Add", {v, m.numbers({kChannels, 1}, 21)}));
  EXPECT_EQ(after(m), (Ops{"Relu", "Mul", "Add"}));
}

TEST(FoldAffine, ALoneBatchNormalizationToo) {
  ConvMaker m;
  m.output(m.node("Relu", {m.batch_normalization(m.input("x", {2, kChannels}))}));
  EXPECT_EQ(after(m), (Ops{"Mul", "Add", "Relu"}));
}

TEST(FoldAffine, ASecondUserKeepsTheConv) {
  ConvMaker m;
  ValueId c = m.conv(false);
  m.output(m.batch_normalization(c)).output(m.node("Neg", {c}));
  EXPECT_EQ(after(m), (Ops{"Conv", "Mul", "Add", "Neg"}));
}

TEST(FoldAffine, AGraphOutputInsideEndsTheChain) {
  ConvMaker m;
  ValueId b = m.batch_normalization(m.conv(false));
  m.output(b).output(m.node("Mul", {b, m.floats({}, {2})}));
  EXPECT_EQ(after(m), (Ops{"Conv", "Mul"}));
}

TEST(FoldAffine, OperandsThatAreNotPerChannelStay) {
  ConvMaker m;
  ValueId c = m.conv(false);
  ValueId v = m.node("Mul", {c, m.numbers({3}, 5)});      // varies along the last dimension, also of extent 3
  v = m.node("Add", {v, m.numbers({1, 1, 1, 1, 1}, 6)});  // makes the rank larger
  v = m.node("Add", {v, m.node("Neg", {m.input("y", {1})})});
  m.output(v);
  EXPECT_EQ(after(m), (Ops{"Conv", "Mul", "Add", "Neg", "Add"}));
}

TEST(FoldAffine, InfiniteScalesStay) {
  ConvMaker m;
  m.output(m.node("Mul", {m.conv(false), m.floats({}, {1e39})}));
  EXPECT_EQ(op_names(m.g), (Ops{"Conv", "Mul"}));
  fold_affine(m.g);
  EXPECT_EQ(op_names(m.g), (Ops{"Conv", "Mul"}));
}

TEST(ChannelAffine, Composes) {
  ChannelAffine a{{2.0}, {1.0, 3.0}}, b{{10.0, 100.0}, {5.0}};
  ChannelAffine c = a.then(b);
  EXPECT_EQ(c.scale, (std::vector<double>{20, 200}));
  EXPECT_EQ(c.shift, (std::vector<double>{15, 305}));
}

}  // namespace
}  // namespace cppgen::passes
