// Operators that move elements: views where strides can say it, copies elsewhere.
#include "tests/baseline/fixture.h"

namespace cppgen::baseline {
namespace {

using Ints = std::vector<int64_t>;
class Views : public BaselineTest {};

ValueId image(GraphMaker& m) {  // channels-last in memory
  return m.node("MaxPool", {m.input("x", {1, 8, 6, 6})}, {{"kernel_shape", Ints{2, 2}}});
}

TEST_F(Views, ReshapeOfAChannelsLastImage) {
  GraphMaker m;
  const Report report = expect_same(m, m.node("Reshape", {image(m), m.ints({8, 25})}));
  EXPECT_EQ(kinds(report), (Kinds{"reorder", "pooling", "reorder"}));
}

TEST_F(Views, ChannelShuffle) {
  GraphMaker m;
  const ValueId groups = m.node("Reshape", {image(m), m.ints({1, 2, 4, 5, 5})});
  const ValueId shuffled = m.node("Transpose", {groups}, {{"perm", Ints{0, 2, 1, 3, 4}}});
  const ValueId merged = m.node("Reshape", {shuffled, m.ints({1, 8, 5, 5})});
  expect_same(m, m.node("MaxPool", {merged}, {{"kernel_shape", Ints{3, 3}}}));
}

TEST_F(Views, SplitSliceAndGatherAreViews) {
  GraphMaker m;
  const ValueId x = m.input("x", {2, 12, 5});
  ValueId parts[2] = {m.g.add_value("a"), m.g.add_value("b")};
  Node& split = m.g.add_node("Split", {x, m.ints({4, 8})}, {parts[0], parts[1]}, m.opset);
  split.attributes["axis"] = int64_t(1);
  ops::infer_node(m.g, split.id);
  const ValueId slice = m.node("Slice", {parts[1], m.ints({-6}), m.ints({-2}), m.ints({1})});
  const ValueId row =
      m.node("Gather", {slice, m.g.add_constant("i", make_tensor(DType::i64, {}, std::vector<std::byte>(8)))},
             {{"axis", int64_t(0)}});
  const Report report = expect_same(m, m.node("Add", {parts[0], row}));
  for (const StepReport& step : report.steps) EXPECT_FALSE(step.ours);
}

TEST_F(Views, SliceWithStepsIsOurs) {
  GraphMaker m;
  const ValueId x = m.input("x", {2, 12});
  const Report report = expect_same(m, m.node("Slice", {x, m.ints({1}), m.ints({11}), m.ints({1}), m.ints({3})}));
  EXPECT_EQ(kinds(report), Kinds{"kernels"});
}

TEST_F(Views, Concat) {
  for (const int64_t axis : {0, 1, 2, 3}) {
    GraphMaker m;
    const ValueId a = image(m), b = m.input("b", {1, 8, 5, 5}), c = m.input("c", {1, 8, 5, 5});
    expect_same(m, m.node("Concat", {a, m.node("Relu", {b}), c}, {{"axis", axis}}));
  }
}

TEST_F(Views, Squeezing) {
  GraphMaker m;
  const ValueId x = m.node("Unsqueeze", {m.input("x", {3, 5}), m.ints({0, 2})});
  expect_same(m, m.node("Flatten", {m.node("Squeeze", {m.node("Relu", {x}), m.ints({0})})}, {{"axis", int64_t(1)}}));
}

TEST_F(Views, Scalars) {
  GraphMaker m;
  const ValueId sum = m.node("ReduceSum", {m.input("x", {4, 4})}, {{"keepdims", int64_t(0)}});
  expect_same(m, m.node("Mul", {sum, m.input("y", {})}));
}

TEST_F(Views, InputsAndConstantsAsOutputs) {
  GraphMaker m;
  const ValueId x = m.input("x", {3, 5}), c = m.floats({2}, {1, 2}), i = m.ints({4, 5});
  const ValueId y = m.node("Relu", {x}), t = m.node("Transpose", {x}, {{"perm", Ints{1, 0}}});
  for (ValueId v : {x, y, y, c, i, t}) m.output(v);
  expect_same(m.g);
}

}  // namespace
}  // namespace cppgen::baseline
