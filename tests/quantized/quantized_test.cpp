// Quantized graphs, compiled for every instruction set and compared with the interpreter, which runs them in float32
// as they are written: within one quantum of the result.
#include "isa/vec_isa.h"
#include "tests/isas_to_test.h"
#include "tests/property/differential.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::property {
namespace {

using Ints = std::vector<int64_t>;

Case case_of(QuantizedMaker& m, double quantum) {
  Case c;
  c.seed = 1;
  c.random.facts.assign(m.g.values.size(), Fact{1, quantum / 4 * 1.001});  // a fourth: comparisons allow four times it
  c.random.graph = std::move(m.g);
  return c;
}

// They include AVX-512 without dot products of bytes, whose tiles are others.
std::vector<const VecISA*> isas() {
  auto list = isas_to_test();
  const VecISA* plain = find_isa("avx512");
  if (detect_cpu_features().has_all(plain->required) && list.back() != plain) list.push_back(plain);
  return list;
}

void expect_no_failures(const std::vector<Case>& cases) {
  DifferentialOptions options;
  options.isas = isas();
  for (const Failure& f : check_cases(cases, options))
    ADD_FAILURE() << f.isa << ": " << f.what << "\n" << describe(cases[f.index]);
}

constexpr double kScale = 1.0 / 64;  // inputs are in [-2, 2]

struct ConvRow {
  Ints x, w, pads{0, 0, 0, 0}, strides{1, 1}, dilations{1, 1};
  int64_t group = 1;
};

Case convolution(const ConvRow& r, DType activations, DType weights, int64_t zero) {
  QuantizedMaker m;
  ValueId x = m.fake_quantize(m.input("x", Shape(r.x.begin(), r.x.end())), kScale, zero, activations);
  Ints zeros(size_t(r.w[0]), 0);
  if (weights == DType::u8)
    for (size_t i = 0; i < zeros.size(); i++) zeros[i] = int64_t(100 + i);
  ValueId w = m.dequantize_along(m.weights(weights, r.w), 0, zeros, 1.0 / 512);
  std::vector<int32_t> bias;
  for (int64_t i = 0; i < r.w[0]; i++) bias.push_back(int32_t(i * 1117 % 4001) - 2000);
  ValueId b = m.node("DequantizeLinear", {m.words({r.w[0]}, bias), m.floats({}, {kScale / 512})});
  ValueId y = m.node("Conv", {x, w, b},
                     {{"pads", r.pads}, {"strides", r.strides}, {"dilations", r.dilations}, {"group", r.group}});
  m.output(m.fake_quantize(m.node("Relu", {y}), 0.05, 3));
  return case_of(m, 0.05);
}

TEST(Quantized, ConvolutionsAroundTheSizesOfTiles) {
  std::vector<Case> cases;
  for (int64_t channels : {1, 3, 4, 5, 33})
    for (int64_t out : {3, 31, 33})
      cases.push_back(
          convolution({{1, channels, 5, 4}, {out, channels, 3, 3}, {1, 1, 1, 1}}, DType::u8, DType::i8, 117));
  for (DType x : {DType::u8, DType::i8})
    for (DType w : {DType::u8, DType::i8}) {
      const int64_t zero = x == DType::u8 ? 140 : -9;
      cases.push_back(convolution({{2, 6, 7, 5}, {9, 6, 3, 2}, {0, 1, 2, 1}, {2, 1}, {1, 2}}, x, w, zero));
      cases.push_back(convolution({{1, 8, 5, 5}, {8, 4, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 2}, x, w, zero));
      cases.push_back(convolution({{1, 7, 6, 6}, {7, 1, 3, 3}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 7}, x, w, zero));
      cases.push_back(convolution({{1, 3, 1, 1}, {5, 3, 1, 1}}, x, w, zero));
    }
  expect_no_failures(cases);
}

Case product(Shape a, Shape b, DType left, DType right, bool constant) {
  QuantizedMaker m;
  const int64_t zero = left == DType::u8 ? 120 : 11, right_zero = right == DType::u8 ? 131 : -7;
  ValueId x = m.fake_quantize(m.input("a", a), kScale, zero, left);
  Ints dims;
  for (const IndexExpr& d : b) dims.push_back(constant ? d.constant() : 0);
  ValueId y = constant ? m.dequantize(m.weights(right, dims), 1.0 / 128, right_zero)
                       : m.fake_quantize(m.input("b", b), kScale, right_zero, right);
  m.output(m.fake_quantize(m.node("MatMul", {x, y}), 0.1, 128));
  return case_of(m, 0.1);
}

TEST(Quantized, ProductsOfEverySignAndK) {
  std::vector<Case> cases;
  for (DType left : {DType::u8, DType::i8})
    for (DType right : {DType::u8, DType::i8}) {
      for (int64_t K : {0, 1, 3, 4, 5, 67}) {
        cases.push_back(product({15, K}, {K, 33}, left, right, true));
        cases.push_back(product({2, 3, K}, {2, K, 5}, left, right, false));
      }
      cases.push_back(product({1, 0, 8}, {8, 3}, left, right, true));
    }
  expect_no_failures(cases);
}

// Every product is an extreme: sums of two do not fit 16 bits.
TEST(Quantized, ExtremesDoNotSaturate) {
  std::vector<Case> cases;
  for (int64_t low : {0, 1}) {
    QuantizedMaker m;
    ValueId q = m.quantize(m.input("x", {15, 70}), 1e-6, low ? 255 : 0);  // 0 or 255 nearly everywhere
    Ints bytes;
    for (int64_t i = 0; i < 70 * 33; i++) bytes.push_back(i % 3 ? -128 : 127);
    ValueId w = m.bytes(DType::i8, {70, 33}, bytes);
    m.output(m.node("MatMulInteger", {q, w, m.bytes(DType::u8, {}, {low * 255})}));
    cases.push_back(case_of(m, 0));
  }
  expect_no_failures(cases);
}

// Values in the middle between two quanta, out of range, infinite and NaN: the same bytes as the interpreter's.
TEST(Quantized, EveryKindOfFloat) {
  std::vector<Case> cases;
  for (int64_t zero : {0, 3, 255}) {
    QuantizedMaker m;
    auto scaled = [&](ValueId v, double by) { return m.node("Mul", {v, m.floats({}, {by})}); };
    ValueId whole = m.node("Floor", {scaled(m.input("x", {7, 53}), 8)}), half = scaled(whole, 0.5);
    ValueId quotient = m.node("Div", {half, m.node("Relu", {whole})});  // 0.5, -infinity or 0 / 0
    for (ValueId v : {half, scaled(whole, 20.5), quotient, m.node("Neg", {quotient})}) {
      m.output(m.quantize(v, 1, zero));
      m.output(m.fake_quantize(v, 1, zero));
    }
    cases.push_back(case_of(m, 0));
  }
  expect_no_failures(cases);
}

// Dynamic quantization is exported so: the range of the activations is found in the run.
TEST(Quantized, DynamicQuantization) {
  std::vector<Case> cases;
  for (int64_t K : {5, 64}) {
    QuantizedMaker m;
    ValueId x = m.input("x", {7, K});
    std::vector<ValueId> out = {m.g.add_value("q"), m.g.add_value("scale"), m.g.add_value("zero")};
    m.g.add_node("DynamicQuantizeLinear", {x}, out, m.opset);
    ops::infer_node(m.g, m.g.nodes.back().id);
    ValueId sum = m.node("MatMulInteger", {out[0], m.weights(DType::i8, {K, 35}), out[2]});
    ValueId scale = m.node("Mul", {out[1], m.floats({}, {1.0 / 128})});
    ValueId y = m.node("Mul", {m.node("Cast", {sum}, {{"to", int64_t{1}}}), scale});
    m.output(m.node("Add", {y, m.floats({35}, std::vector<double>(35, 0.25))}));
    ValueId image = m.node("Reshape", {out[0], m.ints({1, 1, 7, K})});
    m.output(m.node("ConvInteger", {image, m.weights(DType::i8, {9, 1, 3, 3}), out[2]}, {{"pads", Ints{1, 1, 1, 1}}}));
    cases.push_back(case_of(m, 1e-3));
  }
  expect_no_failures(cases);
}

ValueId conv_block(QuantizedMaker& m, ValueId x, Ints w, int64_t stride, double scale) {
  ValueId weights = m.dequantize_along(m.weights(DType::i8, w, w[1]), 0, Ints(size_t(w[0]), 0), 1.0 / 2048);
  const int64_t pad = w[2] / 2;
  ValueId y = m.node("Conv", {x, weights, m.floats({w[0]}, std::vector<double>(size_t(w[0]), 0.125))},
                     {{"pads", Ints{pad, pad, pad, pad}}, {"strides", Ints{stride, stride}}});
  return m.fake_quantize(m.node("Relu", {y}), scale, 0);
}

// Residual sums, pooling and a classifier between bytes, all steps of which only the last is read as float.
TEST(Quantized, ConvolutionalNetwork) {
  std::vector<Case> cases;
  for (DType type : {DType::u8, DType::i8}) {
    QuantizedMaker m;
    ValueId x = m.fake_quantize(m.input("x", {2, 3, 9, 9}), kScale, type == DType::u8 ? 128 : 0, type);
    x = conv_block(m, x, {16, 3, 3, 3}, 2, 0.02);
    x = m.node("MaxPool", {x}, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{1, 1}}, {"pads", Ints{1, 1, 1, 1}}});
    ValueId branch = conv_block(m, conv_block(m, x, {8, 16, 1, 1}, 1, 0.02), {16, 8, 3, 3}, 1, 0.03);
    x = m.fake_quantize(m.node("Relu", {m.node("Add", {x, branch})}), 0.04, 0);
    x = m.fake_quantize(m.node("GlobalAveragePool", {x}), 0.02, 0);
    x = m.node("Flatten", {x});
    ValueId w = m.dequantize_along(m.weights(DType::i8, {10, 16}), 0, Ints(10, 0), 1.0 / 2048);
    m.output(m.node("Gemm", {x, w, m.floats({10}, std::vector<double>(10, 1))}, {{"transB", int64_t{1}}}));
    // A quantum of each of the five requantized tensors, as far as it reaches the result.
    cases.push_back(case_of(m, 0.1));
  }
  expect_no_failures(cases);
}

TEST(Quantized, WeightsOfFourBits) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 3}) {
    QuantizedMaker m;
    ValueId x = m.input("x", {rows, 70}), out = m.g.add_value("y");
    Node& n = m.g.add_node("MatMulNBits",
                           {x, m.weights(DType::u8, {37, 3, 16}), m.floats({37, 3}, std::vector<double>(37 * 3, 0.01)),
                            m.weights(DType::u8, {37, 2}, 3)},
                           {out}, 1);
    n.domain = "com.microsoft";
    n.attributes = {{"K", int64_t{70}}, {"N", int64_t{37}}, {"bits", int64_t{4}}, {"block_size", int64_t{32}}};
    ops::infer_node(m.g, n.id);
    m.output(out);
    cases.push_back(case_of(m, 1e-3));
  }
  expect_no_failures(cases);
}

// Heads split by Reshape and Transpose, both products of attention on bytes, symbolic rows.
TEST(Quantized, Attention) {
  std::vector<Case> cases;
  for (DType type : {DType::u8, DType::i8}) {
    QuantizedMaker m;
    const int64_t zero = type == DType::u8 ? 128 : 0;
    auto fake = [&](ValueId v, double scale) { return m.fake_quantize(v, scale, zero, type); };
    ValueId x = fake(m.input("x", {1, 6, 32}), kScale);
    auto project = [&](int64_t seed) {
      ValueId w = m.dequantize(m.weights(DType::i8, {32, 32}, seed), 1.0 / 1024, 0);
      ValueId y = m.node("Add", {m.node("MatMul", {x, w}), m.floats({32}, std::vector<double>(32, 0.125))});
      return m.node("Transpose", {m.node("Reshape", {y, m.ints({1, 6, 2, 16})})}, {{"perm", Ints{0, 2, 1, 3}}});
    };
    ValueId q = fake(project(1), 0.02), v = fake(project(3), 0.02);
    ValueId k = fake(m.node("Transpose", {project(2)}, {{"perm", Ints{0, 1, 3, 2}}}), 0.02);
    ValueId p = fake(
        m.node("Softmax", {m.node("Mul", {m.node("MatMul", {q, k}), m.floats({}, {0.25})})}, {{"axis", int64_t{-1}}}),
        1.0 / 120);
    ValueId y = m.node("Transpose", {m.node("MatMul", {p, v})}, {{"perm", Ints{0, 2, 1, 3}}});
    m.output(fake(m.node("Reshape", {y, m.ints({1, 6, 32})}), 0.05));
    cases.push_back(case_of(m, 0.05));
  }
  expect_no_failures(cases);
}

}  // namespace
}  // namespace cppgen::property
