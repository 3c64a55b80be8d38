// The passes over quantized graphs: what each of them recognises, what it leaves alone, and that results stay within
// one quantum, or the same where that is promised.
#include "cppgen/passes/passes.h"
#include "tests/quantized/quantized_graph.h"

namespace cppgen::passes {
namespace {

using Maker = QuantizedMaker;

enum class Promise { same_bits, one_quantum };

void expect_within_a_quantum(const std::vector<ir::HostTensor>& a, const std::vector<ir::HostTensor>& b,
                             double quantum) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); i++)
    for (int64_t k = 0; k < a[i].elements(); k++) {
      if (a[i].type == DType::f32)
        ASSERT_NEAR(a[i].as<float>()[k], b[i].as<float>()[k], quantum * 1.001) << k;
      else
        ASSERT_LE(std::abs(int(a[i].as<uint8_t>()[k]) - int(b[i].as<uint8_t>()[k])), 1) << k;
    }
}

// The operators that remain.
Ops after(Maker& m, void (*pass)(Graph&, const PassOptions&), Promise promise, double quantum = 1e-4) {
  auto before = run(m.g);
  pass(m.g, {});
  verify(m.g);
  eliminate_dead_code(m.g);
  verify(m.g);
  if (promise == Promise::same_bits)
    expect_same_bits(before, run(m.g));
  else
    expect_within_a_quantum(before, run(m.g), quantum);
  return op_names(m.g);
}

// --- sink_dequantize

TEST(SinkDequantize, MovementRunsOnBytes) {
  Maker m;
  ValueId x = m.fake_quantize(m.input("x", {1, 4, 4, 4}), 0.01, 100);
  x = m.node("MaxPool", {x},
             {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  x = m.node("Transpose", {x}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  x = m.node("Reshape", {x, m.ints({-1, 4})});
  m.output(m.node("Neg", {x}));
  EXPECT_EQ(after(m, sink_dequantize, Promise::same_bits),
            (Ops{"QuantizeLinear", "MaxPool", "Transpose", "Reshape", "DequantizeLinear", "Neg"}));
  EXPECT_EQ(m.g.value(m.g.nodes[3].outputs[0]).type->dtype, DType::u8);
}

TEST(SinkDequantize, WhatIsQuantizedAlikeAgainGoes) {
  Maker m;
  ValueId x = m.fake_quantize(m.input("x", {2, 6}), 0.01, 100);
  m.output(m.quantize(m.node("Reshape", {x, m.ints({3, 4})}), 0.01, 100));
  EXPECT_EQ(after(m, sink_dequantize, Promise::same_bits), (Ops{"QuantizeLinear", "Reshape"}));
}

TEST(SinkDequantize, OtherParametersStay) {
  for (auto [scale, zero] : {std::pair{0.02, 100}, {0.01, 101}}) {
    Maker m;
    m.output(m.quantize(m.fake_quantize(m.input("x", {2, 6}), 0.01, 100), scale, zero));
    EXPECT_EQ(after(m, sink_dequantize, Promise::same_bits),
              (Ops{"QuantizeLinear", "DequantizeLinear", "QuantizeLinear"}));
  }
}

TEST(SinkDequantize, ConcatNeedsTheSameParametersEverywhere) {
  for (double second : {0.01, 0.02}) {
    Maker m;
    ValueId a = m.fake_quantize(m.input("a", {2, 3}), 0.01, 9), b = m.fake_quantize(m.input("b", {2, 3}), second, 9);
    m.output(m.node("Concat", {a, b}, {{"axis", int64_t{1}}}));
    Ops ops = after(m, sink_dequantize, Promise::same_bits);
    EXPECT_EQ(ops.back(), second == 0.01 ? "DequantizeLinear" : "Concat");
  }
}

TEST(SinkDequantize, ScalesOfAnAxisGoBehindATransposeOnly) {
  Maker m;
  ValueId x = m.dequantize_along(m.quantize(m.input("x", {2, 3}), 0.01, 0), 1, {1, 2, 3});
  m.output(m.node("Transpose", {x}));
  EXPECT_EQ(after(m, sink_dequantize, Promise::same_bits), (Ops{"QuantizeLinear", "Transpose", "DequantizeLinear"}));

  Maker permuted;
  x = permuted.dequantize_along(permuted.quantize(permuted.input("x", {2, 3, 4}), 0.01, 0), 0, {1, 2});
  permuted.output(permuted.node("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}}));
  EXPECT_EQ(after(permuted, sink_dequantize, Promise::same_bits),
            (Ops{"QuantizeLinear", "Transpose", "DequantizeLinear"}));
  EXPECT_EQ(std::get<int64_t>(permuted.g.nodes[2].attributes.at("axis")), 1);

  Maker reshaped;
  x = reshaped.dequantize_along(reshaped.quantize(reshaped.input("x", {2, 3}), 0.01, 0), 1, {1, 2, 3});
  reshaped.output(reshaped.node("Reshape", {x, reshaped.ints({3, 2})}));
  EXPECT_EQ(after(reshaped, sink_dequantize, Promise::same_bits),
            (Ops{"QuantizeLinear", "DequantizeLinear", "Reshape"}));
}

// --- use_unsigned_activations

TEST(UseUnsignedActivations, BytesAndTheirZeroPointsMove) {
  Maker m;
  ValueId q = m.node("Transpose", {m.quantize(m.input("x", {2, 3}), 0.01, -5, DType::i8)});
  m.output(m.dequantize(q, 0.01, -5));
  EXPECT_EQ(after(m, use_unsigned_activations, Promise::same_bits),
            (Ops{"QuantizeLinear", "Transpose", "DequantizeLinear"}));
  EXPECT_EQ(m.g.value(m.g.nodes[1].outputs[0]).type->dtype, DType::u8);
}

TEST(UseUnsignedActivations, RightOperandsAndOutputsStay) {
  Maker right;
  ValueId x = right.fake_quantize(right.input("x", {2, 3}), 0.01, 3, DType::i8);
  ValueId y = right.fake_quantize(right.input("y", {3, 2}), 0.01, 3, DType::i8);
  right.output(right.node("MatMul", {x, y}));
  after(right, use_unsigned_activations, Promise::same_bits);
  EXPECT_EQ(right.g.value(right.g.nodes[0].outputs[0]).type->dtype, DType::u8);
  EXPECT_EQ(right.g.value(right.g.nodes[2].outputs[0]).type->dtype, DType::i8);

  Maker out;
  ValueId q = out.quantize(out.input("x", {2, 3}), 0.01, 3, DType::i8);
  out.output(q).output(out.dequantize(q, 0.01, 3));
  after(out, use_unsigned_activations, Promise::same_bits);
  EXPECT_EQ(out.g.value(out.g.outputs[0]).type->dtype, DType::i8);
}

// --- form_integer_contractions

Maker convolution(DType weights, bool biased, std::vector<int64_t> weight_zeros = {0, 0, 0, 0}) {
  Maker m;
  ValueId x = m.fake_quantize(m.input("x", {1, 3, 5, 5}), 1.0 / 128, 117);
  ValueId w = m.dequantize_along(m.weights(weights, {4, 3, 3, 3}), 0, std::move(weight_zeros));
  std::vector<ValueId> inputs = {x, w};
  if (biased) inputs.push_back(m.node("DequantizeLinear", {m.words({4}, {1000, -2000, 5, 0}), m.floats({}, {0.001})}));
  m.output(m.node("Conv", inputs, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}));
  return m;
}

TEST(FormIntegerContractions, ConvolutionsOfEverySignWithBias) {
  for (DType type : {DType::i8, DType::u8}) {
    Maker plain = convolution(type, false), biased = convolution(type, true, {1, 0, 3, 120});
    EXPECT_EQ(after(plain, form_integer_contractions, Promise::one_quantum),
              (Ops{"QuantizeLinear", "ConvInteger", "Cast", "Mul"}));
    EXPECT_EQ(after(biased, form_integer_contractions, Promise::one_quantum),
              (Ops{"QuantizeLinear", "ConvInteger", "Cast", "Mul", "Add"}));
  }
}

TEST(FormIntegerContractions, MatMulAndGemm) {
  Maker m;
  ValueId x = m.fake_quantize(m.input("x", {2, 5}), 1.0 / 128, 128);
  ValueId w = m.dequantize_along(m.weights(DType::i8, {5, 3}), 1, {0, 0, 0});
  ValueId v = m.dequantize_along(m.weights(DType::i8, {3, 5}, 7), 0, {0, 2, 0});
  m.output(m.node("MatMul", {x, w}));
  m.output(m.node("Gemm", {x, v, m.floats({3}, {1, 2, 3})}, {{"transB", int64_t{1}}, {"alpha", 0.5f}, {"beta", 2.0f}}));
  EXPECT_EQ(
      after(m, form_integer_contractions, Promise::one_quantum),
      (Ops{"QuantizeLinear", "MatMulInteger", "Cast", "Mul", "Transpose", "MatMulInteger", "Cast", "Mul", "Add"}));
}

struct Refusal {
  const char* why;
  std::function<void(Maker&)> make;
};

TEST(FormIntegerContractions, Refuses) {
  const std::vector<Refusal> rows = {
      {"scales of the left operand's axis",
       [](Maker& m) {
         ValueId x = m.dequantize_along(m.quantize(m.input("x", {2, 3}), 0.01, 0), 1, {0, 0, 0});
         m.output(m.node("MatMul", {x, m.dequantize(m.weights(DType::i8, {3, 2}), 0.01, 0)}));
       }},
      {"scales along K",
       [](Maker& m) {
         ValueId x = m.fake_quantize(m.input("x", {2, 3}), 0.01, 0);
         m.output(m.node("MatMul", {x, m.dequantize_along(m.weights(DType::i8, {3, 2}), 0, {0, 0, 0})}));
       }},
      {"a K whose sum may not fit 32 bits",
       [](Maker& m) {
         ValueId x = m.fake_quantize(m.input("x", {1, 40000}), 0.01, 0);
         m.output(m.node("MatMul", {x, m.dequantize(m.weights(DType::i8, {40000, 1}), 0.01, 0)}));
       }},
      {"a transposed left operand",
       [](Maker& m) {
         ValueId x = m.fake_quantize(m.input("x", {3, 2}), 0.01, 0);
         m.output(m.node("Gemm", {x, m.dequantize(m.weights(DType::i8, {3, 2}), 0.01, 0)}, {{"transA", int64_t{1}}}));
       }},
      {"weights that are floats",
       [](Maker& m) {
         ValueId x = m.fake_quantize(m.input("x", {2, 2}), 0.01, 0);
         m.output(m.node("MatMul", {x, m.floats({2, 2}, {1, 2, 3, 4})}));
       }},
  };
  for (const Refusal& row : rows) {
    Maker m;
    row.make(m);
    const std::string last = m.g.nodes.back().op;
    EXPECT_EQ(after(m, form_integer_contractions, Promise::one_quantum).back(), last) << row.why;
  }
}

// --- expand_quantized_operators

TEST(ExpandQuantizedOperators, BecomePlainOnesBetweenConversions) {
  Maker m;
  ValueId x = m.quantize(m.input("x", {1, 3, 4, 4}), 1.0 / 128, 120), scale = m.floats({}, {1.0 / 128});
  ValueId zero = m.bytes(DType::u8, {}, {120}), none = m.bytes(DType::i8, {2}, {0, 0});
  m.output(m.node("QLinearConv", {x, scale, zero, m.weights(DType::i8, {2, 3, 1, 1}), m.floats({2}, {0.01, 0.02}), none,
                                  m.floats({}, {0.05}), m.bytes(DType::u8, {}, {130}), m.words({2}, {500, -900})}));
  EXPECT_EQ(
      after(m, expand_quantized_operators, Promise::one_quantum),
      (Ops{"QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv", "QuantizeLinear"}));
}

TEST(ExpandQuantizedOperators, RowsWithTheirOwnScalesStay) {
  Maker m;
  ValueId x = m.quantize(m.input("x", {2, 3}), 1.0 / 128, 120), zeros = m.bytes(DType::u8, {2}, {120, 120});
  ValueId none = m.bytes(DType::i8, {}, {0});
  m.output(m.node("QLinearMatMul", {x, m.floats({2}, {0.01, 0.02}), zeros, m.weights(DType::i8, {3, 2}),
                                    m.floats({}, {0.01}), none, m.floats({}, {0.05}), m.bytes(DType::u8, {}, {130})}));
  EXPECT_EQ(after(m, expand_quantized_operators, Promise::same_bits).back(), "QLinearMatMul");
}

// --- fold_requantization

double scale_of(const Graph& g, const Node& quantize) { return numbers_of(*g.value(quantize.inputs[1]).constant)[0]; }

TEST(FoldRequantization, ResidualSumsAreScaledOnce) {
  Maker m;
  ValueId a = m.fake_quantize(m.input("a", {2, 8}), 0.02, 100), b = m.fake_quantize(m.input("b", {2, 8}), 0.03, 90);
  ValueId sum = m.node("Add", {a, m.node("Mul", {b, m.floats({8}, {1, 2, 3, 4, 5, 6, 7, 8})})});
  m.output(m.quantize(m.node("Relu", {sum}), 0.07, 0)).output(m.node("Neg", {a}));
  EXPECT_EQ(after(m, fold_requantization, Promise::one_quantum),
            (Ops{"QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "QuantizeLinear", "DequantizeLinear", "Mul",
                 "Add", "QuantizeLinear", "Neg"}));
  EXPECT_EQ(scale_of(m.g, m.g.nodes[7]), 1);
}

TEST(FoldRequantization, ReluStaysWhereLessThanZeroCanBeStored) {
  Maker m;
  ValueId a = m.fake_quantize(m.input("a", {2, 8}), 0.02, 100);
  m.output(m.quantize(m.node("Relu", {a}), 0.01, 3));
  EXPECT_EQ(after(m, fold_requantization, Promise::one_quantum),
            (Ops{"QuantizeLinear", "DequantizeLinear", "Relu", "QuantizeLinear"}));
}

TEST(FoldRequantization, MultipliesWhatIsNotScaledByConstants) {
  Maker plain;
  plain.output(plain.quantize(plain.node("Exp", {plain.input("x", {4})}), 0.02, 0));
  EXPECT_EQ(after(plain, fold_requantization, Promise::one_quantum), (Ops{"Exp", "Mul", "QuantizeLinear"}));
  EXPECT_EQ(scale_of(plain.g, plain.g.nodes.back()), 1);

  Maker read_twice;
  ValueId sum = read_twice.node("Mul", {read_twice.input("x", {4}), read_twice.floats({}, {3})});
  read_twice.output(read_twice.quantize(sum, 0.02, 0)).output(sum);
  EXPECT_EQ(after(read_twice, fold_requantization, Promise::one_quantum), (Ops{"Mul", "Mul", "QuantizeLinear"}));
}

// The mean of two neighbouring steps lies between them, so that the quotient's last bit decides.
TEST(FoldRequantization, DividesAverages) {
  Maker m;
  ValueId steps = m.fake_quantize(m.input("x", {1, 2, 4, 4}), 0.0231, 100);
  const std::vector<int64_t> two{2, 2};
  m.output(m.quantize(m.node("AveragePool", {steps}, {{"kernel_shape", two}, {"strides", two}}), 0.0231, 100));
  EXPECT_EQ(after(m, fold_requantization, Promise::same_bits),
            (Ops{"QuantizeLinear", "DequantizeLinear", "AveragePool", "QuantizeLinear"}));
  EXPECT_NEAR(scale_of(m.g, m.g.nodes.back()), 0.0231, 1e-9);
}

TEST(FoldRequantization, DividesInputsAndByWhatHasNoReciprocal) {
  Maker input;
  input.output(input.quantize(input.input("x", {4}), 0.02, 0));
  after(input, fold_requantization, Promise::same_bits);
  EXPECT_NEAR(scale_of(input.g, input.g.nodes.back()), 0.02, 1e-9);

  Maker tiny;
  tiny.output(tiny.quantize(tiny.node("Exp", {tiny.input("x", {4})}), 1e-40, 0));
  after(tiny, fold_requantization, Promise::same_bits);
  EXPECT_EQ(tiny.g.nodes.size(), 2U);
}

}  // namespace
}  // namespace cppgen::passes
