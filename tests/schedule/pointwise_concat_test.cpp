// merge_concats preserves the meaning of programs, and pointwise readers then compute the elements.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

std::vector<ir::HostTensor> interpreted(const Graph& g, const ir::Program& program) {
  std::vector<ir::HostTensor> inputs;
  for (ValueId in : g.inputs) {
    std::vector<int64_t> dims;
    for (const IndexExpr& d : g.value(in).type->shape) dims.push_back(d.is_constant() ? d.constant() : 5);
    inputs.push_back(sample(g.value(in).type->dtype, dims, uint32_t(inputs.size() + 1)));
  }
  return ir::interpret(program, inputs);
}

// The number of nests after merging and fusion; results stay the same.
size_t nests(GraphMaker& g, int64_t most_inputs) {
  const ir::Program before = ops::lower(g.g);
  ir::Program after = before;
  DecisionLog log;
  Options options;
  options.max_pointwise_cat_inputs = most_inputs;
  fuse(after, options, small_target(), log);
  ir::verify(after);
  expect_same_bits(interpreted(g.g, before), interpreted(g.g, after));
  return after.statements.size();
}

ValueId concat(GraphMaker& g, std::vector<ValueId> inputs, int64_t axis) {
  return g.node("Concat", std::move(inputs), {{"axis", axis}});
}

// Tanh of `count` inputs along each axis of a tensor.
GraphMaker tanh_of(int count, int64_t axis, DType type = DType::f32) {
  GraphMaker g;
  std::vector<ValueId> inputs;
  for (int i = 0; i < count; i++) {
    Shape shape{3, 4, 6};
    shape[size_t(axis)] = i + 1;
    inputs.push_back(g.input("x" + std::to_string(i), shape, type));
  }
  return g.output(g.node("Tanh", {concat(g, inputs, axis)}));
}

TEST(PointwiseConcat, ReadersComputeElements) {
  for (int64_t axis = 0; axis < 3; axis++)
    for (int count : {2, 3, 8}) {
      GraphMaker g = tanh_of(count, axis);
      EXPECT_EQ(nests(g, 0), size_t(count) + 1) << "each input is copied";
      EXPECT_EQ(nests(g, count - 1), size_t(count) + 1) << "too many inputs";
      EXPECT_EQ(nests(g, count), 1u) << "axis " << axis;
    }
  GraphMaker narrow = tanh_of(2, 1, DType::bf16);
  EXPECT_EQ(nests(narrow, 2), 1u);
}

TEST(PointwiseConcat, ProducersAndSymbolicSizesAreNoObstacle) {
  GraphMaker g;
  const ValueId x = g.input("x", {g.symbol("N"), 4}), y = g.input("y", {g.symbol("M"), 4}), z = g.input("z", {1, 4});
  const ValueId all = concat(g, {g.node("Neg", {x}), y, g.node("Exp", {z})}, 0);
  g.output(g.node("Relu", {all})).output(g.node("Abs", {all}));
  EXPECT_LT(nests(g, 3), nests(g, 0));
}

TEST(PointwiseConcat, WhatIsReadFromMemoryIsStored) {
  GraphMaker reduced;
  const ValueId x = reduced.input("x", {4, 8}), y = reduced.input("y", {4, 8});
  reduced.output(reduced.node("ReduceSum", {concat(reduced, {x, y}, 1), reduced.ints({1})}));
  EXPECT_EQ(nests(reduced, 8), nests(reduced, 0));

  GraphMaker output;
  output.output(concat(output, {output.input("x", {4, 8}), output.input("y", {4, 8})}, 1));
  EXPECT_EQ(nests(output, 8), 2u);

  GraphMaker product;
  const ValueId left = concat(product, {product.input("x", {4, 8}), product.input("y", {4, 8})}, 1);
  product.output(product.node("MatMul", {left, product.input("w", {16, 3})}));
  EXPECT_EQ(nests(product, 8), nests(product, 0));
}

}  // namespace
}  // namespace cppgen::schedule
