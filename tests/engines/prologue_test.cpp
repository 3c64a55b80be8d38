// Contractions that compute their left operand for the rows of a tile have the bits of those that read it from memory,
// and their meaning.
#include <cmath>

#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

struct Size {
  int64_t rows, k, columns;
  const char* next = "Relu";  // Tanh: sums go through memory
};

// Whole and partial vectors of K, full tiles and others, one group of panels and several.
constexpr Size kSizes[] = {{64, 32, 48},        {49, 96, 320}, {5, 37, 320, "Tanh"},
                           {31, 19, 7, "Tanh"}, {1, 64, 40},   {3, 1300, 9}};

ValueId weights(GraphMaker& g, std::vector<int64_t> dims) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  std::vector<double> values;
  for (int64_t i = 0; i < count; i++) values.push_back(double(i * 7 % 23 - 11) / 64);
  return g.floats(std::move(dims), values);
}

struct Inputs {
  GraphMaker& graph;
  std::vector<ir::HostTensor>& values;

  ValueId add(Shape shape, std::vector<int64_t> dims) {
    const auto seed = uint32_t(values.size() + 1);
    values.push_back(sample(DType::f32, std::move(dims), seed));
    return graph.input("x" + std::to_string(seed), std::move(shape));
  }
  ValueId add_bytes(std::vector<int64_t> dims) {
    const auto seed = uint32_t(values.size() + 1);
    const Shape shape(dims.begin(), dims.end());
    ir::HostTensor bytes{DType::u8, std::move(dims), {}};
    for (int64_t i = 0; i < bytes.elements(); i++) bytes.bytes.push_back(std::byte(i * 37 % 256));
    values.push_back(std::move(bytes));
    return graph.input("x" + std::to_string(seed), shape, DType::u8);
  }
  ValueId add(const std::vector<int64_t>& dims) { return add(Shape(dims.begin(), dims.end()), dims); }
};

// relu(x * factor + shift), times a matrix.
void add_product(GraphMaker& g, Inputs& inputs, const Size& size, bool rows_are_known) {
  const Shape shape{rows_are_known ? IndexExpr(size.rows) : g.symbol("N"), size.k};
  const ValueId x = inputs.add(shape, {size.rows, size.k});
  const ValueId scaled = g.node("Mul", {x, inputs.add({size.k})});
  const ValueId left = g.node("Relu", {g.node("Add", {scaled, inputs.add({size.k})})});
  g.output(g.node(size.next, {g.node("MatMul", {left, weights(g, {size.k, size.columns})})}));
}

// Bytes of which each column has a scale.
void add_bytes(GraphMaker& g, Inputs& inputs) {
  const ValueId x = inputs.add_bytes({13, 40});
  const ValueId scaled = g.node("Mul", {g.node("Cast", {x}, {{"to", int64_t(1)}}), inputs.add({40})});
  g.output(g.node("MatMul", {scaled, weights(g, {40, 24})}));
}

// The factors of channels of an image, whose sums they depend on in networks, before a convolution of one tap.
void add_image(GraphMaker& g, Inputs& inputs, int64_t images, int64_t channels, int64_t stride) {
  const ValueId x = inputs.add({images, 8, 9, 11}), factors = inputs.add({images, channels, 1, 1});
  const ValueId image = g.node("Relu", {g.node("Conv", {x, weights(g, {channels, 8, 1, 1})})});
  const ValueId scaled = g.node("Mul", {image, factors});
  g.output(g.node("Conv", {scaled, weights(g, {24, channels, 1, 1})}, {{"strides", std::vector<int64_t>(2, stride)}}));
  g.output(g.node("GlobalAveragePool", {image}));
}

constexpr size_t kFused = 2 * std::size(kSizes) + 4;

Graph graph_of(std::vector<ir::HostTensor>& values) {
  GraphMaker g;
  values.clear();
  Inputs inputs{g, values};
  for (const Size& size : kSizes) add_product(g, inputs, size, true);
  for (Size size : kSizes) size.rows = 17, add_product(g, inputs, size, false);
  add_image(g, inputs, 1, 40, 1);
  add_image(g, inputs, 2, 40, 1);
  add_image(g, inputs, 2, 19, 2);
  add_bytes(g, inputs);
  return std::move(g.g);
}

size_t computed_operands(const Machine& on, const schedule::Options& options) {
  std::vector<ir::HostTensor> inputs;
  Graph graph = graph_of(inputs);
  const auto schedule = schedule::make_schedule(ops::lower(graph), options, on.target);
  size_t count = 0;
  schedule::each_kernel(schedule.steps, [&](const schedule::FusedKernel& kernel) {
    count += kernel.contraction && kernel.contraction->left_value;
  });
  return count;
}

std::vector<ir::HostTensor> results(const Machine& on, const schedule::Options& options, int threads) {
  std::vector<ir::HostTensor> inputs;
  Graph graph = graph_of(inputs);
  return run_on(on, graph, options, inputs, threads).outputs;
}

void expect_meaning(const std::vector<ir::HostTensor>& got) {
  std::vector<ir::HostTensor> inputs;
  Graph graph = graph_of(inputs);
  const auto want = ir::interpret(ops::lower(graph), inputs);
  for (size_t o = 0; o < want.size(); o++)
    for (int64_t i = 0; i < want[o].elements(); i++)
      ASSERT_NEAR(value(got[o], i), value(want[o], i), 1e-4) << "output " << o << ", element " << i;
}

TEST(Prologues, HaveTheBitsOfStoredOperands) {
  int machines = 0;
  schedule::Options stored;
  stored.prologue_fusion = false;
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    const auto on = machine(isa);
    if (!on) continue;
    SCOPED_TRACE(isa);
    machines++;
    EXPECT_EQ(computed_operands(*on, {}), kFused);
    EXPECT_EQ(computed_operands(*on, stored), size_t{0});
    const auto want = results(*on, stored, 1), got = results(*on, {}, 1);
    expect_same_bits(got, want);
    expect_same_bits(results(*on, {}, 3), want);
    expect_meaning(got);
  }
  EXPECT_GT(machines, 0);
}

}  // namespace
}  // namespace cppgen::engines
