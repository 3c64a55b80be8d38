// Sums of many positive float32 terms lose at most five decimal digits of the eight, however many terms there are, on
// every instruction set. The interpreter adds in float64.
#include <algorithm>

#include "tests/engines/products.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

constexpr double kMostError = 1e-5;

// Equal terms are the hardest: every addition may round in the same direction.
ir::HostTensor tenths(const std::vector<int64_t>& dims) {
  ir::HostTensor t = sample(DType::f32, dims);
  std::fill_n(reinterpret_cast<float*>(t.bytes.data()), t.elements(), 0.1F);
  return t;
}

// The numbers are in [0.25, 1].
ir::HostTensor positive(const std::vector<int64_t>& dims, uint32_t seed) {
  ir::HostTensor t = sample(DType::f32, dims, seed);
  auto* values = reinterpret_cast<float*>(t.bytes.data());
  for (int64_t i = 0; i < t.elements(); i++) values[i] = 0.25F + std::abs(values[i]) * 0.75F;
  return t;
}

using Shapes = std::vector<std::vector<int64_t>>;

struct Sums {
  std::function<Graph()> make;
  Shapes shapes;  // of the inputs
  double most_error = kMostError;
};

void expect_digits(const Sums& sums, const std::vector<ir::HostTensor>& inputs, int threads = 1) {
  Graph meaning = sums.make();
  const std::vector<ir::HostTensor> want = ir::interpret(ops::lower(meaning), inputs);
  int machines = 0;
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    const auto m = machine(isa);
    if (!m) continue;
    machines++;
    Graph graph = sums.make();
    const Result r = run_on(*m, graph, {}, inputs, threads);
    for (size_t o = 0; o < want.size(); o++) {
      double worst = 0;
      for (int64_t i = 0; i < want[o].elements(); i++)
        worst = std::max(worst, std::abs(value(r.outputs[o], i) / double(value(want[o], i)) - 1));
      EXPECT_LE(worst, sums.most_error) << isa << ", output " << o << ": " << meaning.value(meaning.outputs[o]).name;
    }
  }
  EXPECT_GT(machines, 0);
}

void expect_digits(const Sums& sums) {
  std::vector<ir::HostTensor> equal;
  for (const auto& dims : sums.shapes) equal.push_back(tenths(dims));
  expect_digits(sums, equal);
}

void expect_digits_of_random(const Sums& sums) {
  std::vector<ir::HostTensor> random;
  for (const auto& dims : sums.shapes) random.push_back(positive(dims, uint32_t(random.size() + 1)));
  expect_digits(sums, random, 2);
}

std::map<std::string, Attribute> kept(int64_t keep) { return {{"keepdims", keep}}; }

std::map<std::string, Attribute> over(std::vector<int64_t> axes) {
  return {{"axes", std::move(axes)}, {"keepdims", int64_t{0}}};
}

// Rows and columns, with the length known when the kernel is compiled, and with a symbol in its place.
Sums reductions(int64_t length) {
  const auto make = [length] {
    GraphMaker g;
    const auto add = [&](const std::string& name, bool known) {
      const IndexExpr n = known ? IndexExpr(length) : g.symbol("N");
      const ValueId row = g.input(name + "_row", {2, n}), column = g.input(name + "_column", {n, 5});
      const ValueId middle = g.input(name + "_middle", {n, 2, 3});
      g.output(g.node("ReduceSum", {row, g.ints({1})}, kept(0)));
      g.output(g.node("ReduceSum", {column, g.ints({0})}, kept(0)));
      g.output(g.node("ReduceL2", {column}, over({0})));
      g.output(g.node("ReduceMean", {middle}, over({0, 2})));
      g.output(g.node("ReduceMean", {middle}, over({0, 1})));
      g.output(g.node("Softmax", {row}, {{"axis", int64_t{1}}}));
      g.output(g.node("Softmax", {column}, {{"axis", int64_t{0}}}));
    };
    add("known", true);
    add("symbolic", false);
    return std::move(g.g);
  };
  return {make, {{2, length}, {length, 5}, {length, 2, 3}, {2, length}, {length, 5}, {length, 2, 3}}};
}

TEST(LongSums, OfReductions) {
  for (const int64_t length : {4096, 65'536, 1 << 20}) {
    SCOPED_TRACE(length);
    expect_digits(reductions(length));
  }
  expect_digits_of_random(reductions(10'007));
}

// There are so many columns that the sum is not divided among threads.
TEST(LongSums, OfManyColumns) {
  const auto make = [] {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", {65'536, 96}), g.ints({0})}));
    return std::move(g.g);
  };
  expect_digits({make, {{65'536, 96}}});
}

// Rows of one element, of less than a vector, and of some vectors and a rest.
TEST(LongSums, OfShortRows) {
  const Shapes shapes = {{2, 50'000, 1}, {2, 20'000, 5}, {2, 3'000, 77}, {2, 300, 1'000}};
  const auto make = [shapes] {
    GraphMaker g;
    for (size_t i = 0; i < shapes.size(); i++) {
      const ValueId x = g.input("x" + std::to_string(i), {2, shapes[i][1], shapes[i][2]});
      const ValueId y = g.input("y" + std::to_string(i), {2, g.symbol("M" + std::to_string(i)), shapes[i][2]});
      for (const ValueId v : {x, y}) g.output(g.node("ReduceSum", {v, g.ints({1, 2})}, kept(0)));
    }
    return std::move(g.g);
  };
  Shapes twice;
  for (const auto& dims : shapes) twice.insert(twice.end(), {dims, dims});
  expect_digits({make, twice});
}

// Products with a constant right operand, which is packed before, and others; with one row, and with several tiles.
Sums products(int64_t K, bool constant) {
  const int64_t columns = constant ? 17 : 5;
  const auto make = [=] {
    GraphMaker g;
    const std::vector<double> weights(size_t(constant ? K * columns : 0), 0.1);
    for (const int64_t rows : {1, 2, 19}) {
      const ValueId left = g.input("left" + std::to_string(rows), {rows, K});
      const ValueId right =
          constant ? g.floats({K, columns}, weights) : g.input("right" + std::to_string(rows), {K, columns});
      g.output(g.node("MatMul", {left, right}));
    }
    return std::move(g.g);
  };
  Shapes shapes;
  for (const int64_t rows : {1, 2, 19}) {
    shapes.push_back({rows, K});
    if (!constant) shapes.push_back({K, columns});
  }
  return {make, shapes};
}

TEST(LongSums, OfProducts) {
  for (const int64_t K : {4096, 65'536}) expect_digits(products(K, true));
  for (const int64_t K : {513, 4096, 65'536, 1 << 20}) expect_digits(products(K, false));
  expect_digits_of_random(products(10'007, false));
}

TEST(LongSums, OfProductsWithASymbolicK) {
  const auto make = [] {
    GraphMaker g;
    const ValueId left = g.input("left", {3, g.symbol("K")}), right = g.input("right", {g.symbol("K"), 9});
    g.output(g.node("MatMul", {left, right}));
    return std::move(g.g);
  };
  for (const int64_t K : {4096, 65'536, 1 << 20}) expect_digits({make, {{3, K}, {K, 9}}});
}

// Taps of a few channels, and of more than a block.
TEST(LongSums, OfConvolutions) {
  const Shapes shapes = {{1, 512, 4, 4},   {8, 512, 3, 3},  {1, 4'000, 4, 4},
                         {8, 4'000, 3, 3}, {1, 40, 40, 40}, {3, 40, 40, 40}};
  const auto make = [shapes] {
    GraphMaker g;
    for (size_t i = 0; i < shapes.size(); i += 2) {
      const auto shape = [&](size_t s) { return Shape(shapes[s].begin(), shapes[s].end()); };
      const ValueId x = g.input("x" + std::to_string(i), shape(i)), w = g.input("w" + std::to_string(i), shape(i + 1));
      g.output(g.node("Conv", {x, w}));
    }
    return std::move(g.g);
  };
  // Whole taps of up to 1,152 products are one block; a product has at most 512 in each.
  expect_digits({make, shapes, 1.5e-5});
}

// Weights of four bits with a scale for 32 of them, and for 4,096.
TEST(LongSums, OfProductsWithWeightsOfFewBits) {
  static constexpr int64_t kK = 65'536, kColumns = 8;
  const auto make = [] {
    GraphMaker g(22);
    for (const int64_t block : {32, 4096})
      for (const int64_t rows : {1, 3, 9}) {
        const std::string name = std::to_string(block) + "_" + std::to_string(rows);
        const ValueId x = g.input("x" + name, {rows, kK}), y = g.g.add_value("y" + name);
        const std::vector<int64_t> dims = {kColumns, kK / block, block / 2};
        const ValueId w = g.g.add_constant(
            "w" + name,
            make_tensor(DType::u8, dims, std::vector<std::byte>(size_t(kColumns * kK / 2), std::byte(0xbb))));
        const ValueId scales =
            g.floats({kColumns, kK / block}, std::vector<double>(size_t(kColumns * kK / block), 0.03));
        Node& node = g.g.add_node("MatMulNBits", {x, w, scales}, {y}, 1);
        node.domain = "com.microsoft";
        node.attributes = {{"K", kK}, {"N", kColumns}, {"bits", int64_t{4}}, {"block_size", block}};
        ops::infer_node(g.g, node.id);
        g.output(y);
      }
    return std::move(g.g);
  };
  expect_digits({make, {{1, kK}, {3, kK}, {9, kK}, {1, kK}, {3, kK}, {9, kK}}});
}

// Attentions of one query, of few and of several panels of them, over a number of keys that only a run knows.
Sums attentions(int64_t keys) {
  const auto make = [] {
    GraphMaker g;
    for (const int64_t rows : {1, 3, 70}) {
      const std::string name = std::to_string(rows);
      const ValueId query = g.input("query" + name, {rows, 2}), key = g.input("key" + name, {2, g.symbol("K")});
      const ValueId value = g.input("value" + name, {g.symbol("K"), 3});
      g.output(g.node("MatMul", {g.node("Softmax", {g.node("MatMul", {query, key})}), value}));
    }
    return std::move(g.g);
  };
  Shapes shapes;
  for (const int64_t rows : {1, 3, 70}) shapes.insert(shapes.end(), {{rows, 2}, {2, keys}, {keys, 3}});
  return {make, shapes};
}

TEST(LongSums, OfAttentions) {
  // One group of blocks, a part of the second, three, and many.
  for (const int64_t keys : {64 * 252, 64 * 252 + 1, 3 * 64 * 252, 1 << 19}) {
    SCOPED_TRACE(keys);
    expect_digits(attentions(keys));
  }
  expect_digits_of_random(attentions(50'021));
}

TEST(LongSums, KeepInfinitiesAndNaN) {
  static constexpr int64_t kLength = 10'000;
  const auto make = [] {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", {kLength, 3}), g.ints({0})}, kept(0)));
    g.output(g.node("ReduceSum", {g.input("y", {3, kLength}), g.ints({1})}, kept(0)));
    g.output(g.node("MatMul", {g.input("l", {1, kLength}), g.input("r", {kLength, 3})}));
    return std::move(g.g);
  };
  std::vector<ir::HostTensor> inputs;
  for (const auto& dims : Shapes{{kLength, 3}, {3, kLength}, {1, kLength}, {kLength, 3}})
    inputs.push_back(tenths(dims));
  const auto set = [&](size_t input, int64_t at, float x) {
    reinterpret_cast<float*>(inputs[input].bytes.data())[at] = x;
  };
  for (const size_t input : {0, 3}) set(input, 3 * 700, INFINITY), set(input, 3 * 4000 + 1, NAN);
  set(1, 700, INFINITY), set(1, kLength + 4000, NAN);
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    const auto m = machine(isa);
    if (!m) continue;
    Graph graph = make();
    for (const ir::HostTensor& sums : run_on(*m, graph, {}, inputs).outputs) {
      EXPECT_EQ(value(sums, 0), INFINITY) << isa;
      EXPECT_TRUE(std::isnan(value(sums, 1))) << isa;
      EXPECT_TRUE(std::isfinite(value(sums, 2))) << isa;
    }
  }
}

}  // namespace
}  // namespace cppgen::engines
