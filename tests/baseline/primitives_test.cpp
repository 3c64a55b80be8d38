// Every mapping of an operator to a primitive against the interpreter.
#include "tests/baseline/fixture.h"

namespace cppgen::baseline {
namespace {

using Attributes = std::map<std::string, Attribute>;
using Ints = std::vector<int64_t>;

// Constants that are not all alike.
ValueId weights(GraphMaker& m, Ints dims, uint32_t seed = 7) {
  const ir::HostTensor host = sample(DType::f32, dims, seed);
  return m.g.add_constant("w" + std::to_string(m.g.values.size()), make_tensor(DType::f32, dims, host.bytes));
}

struct ConvCase {
  Ints x, w;
  Attributes attributes;
  bool bias = true;
};

class Primitives : public BaselineTest {
 protected:
  void expect_one_primitive(GraphMaker& m, ValueId output, const std::string& kind) {
    const Report report = expect_same(m, output);
    EXPECT_EQ(report.primitives, 1);
    bool found = false;
    for (const StepReport& step : report.steps) {
      EXPECT_FALSE(step.ours) << step.kind;
      found |= step.kind == kind;
    }
    EXPECT_TRUE(found) << "no " << kind;
  }
};

TEST_F(Primitives, Convolution) {
  const ConvCase cases[] = {
      {{1, 3, 16, 16}, {16, 3, 3, 3}, {{"pads", Ints{1, 1, 1, 1}}}},
      {{2, 16, 9, 10}, {24, 16, 1, 1}, {}, false},
      {{1, 16, 14, 14}, {16, 1, 3, 3}, {{"group", int64_t(16)}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}},
      {{1, 12, 8, 8}, {20, 3, 3, 3}, {{"group", int64_t(4)}, {"pads", Ints{0, 1, 2, 1}}}},
      {{1, 8, 15, 15}, {8, 8, 3, 3}, {{"dilations", Ints{2, 2}}, {"strides", Ints{2, 1}}}},
      {{1, 8, 7, 7}, {8, 8, 2, 2}, {{"auto_pad", std::string("SAME_UPPER")}}},
      {{1, 8, 20}, {8, 8, 5}, {{"pads", Ints{2, 2}}}},
      {{1, 4, 6, 7, 8}, {8, 4, 3, 3, 3}, {{"pads", Ints{1, 1, 1, 1, 1, 1}}}}};
  for (const ConvCase& c : cases) {
    SCOPED_TRACE(&c - cases);
    GraphMaker m;
    const ValueId x = m.input("x", Shape(c.x.begin(), c.x.end())), w = weights(m, c.w);
    std::vector<ValueId> inputs{x, w};
    if (c.bias) inputs.push_back(weights(m, {c.w[0]}));
    expect_one_primitive(m, m.node("Conv", inputs, c.attributes), "convolution");
  }
}

TEST_F(Primitives, Deconvolution) {
  const ConvCase cases[] = {{{1, 8, 7, 7}, {8, 16, 3, 3}, {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}},
                            {{1, 8, 7, 7}, {8, 4, 2, 2}, {{"strides", Ints{2, 2}}, {"group", int64_t(2)}}, false},
                            {{1, 8, 7}, {8, 6, 3}, {{"dilations", Ints{2}}}}};
  for (const ConvCase& c : cases) {
    SCOPED_TRACE(&c - cases);
    GraphMaker m;
    const ValueId x = m.input("x", Shape(c.x.begin(), c.x.end())), w = weights(m, c.w);
    std::vector<ValueId> inputs{x, w};
    const auto group = c.attributes.find("group");
    const int64_t groups = group == c.attributes.end() ? 1 : std::get<int64_t>(group->second);
    if (c.bias) inputs.push_back(weights(m, {c.w[1] * groups}));
    expect_one_primitive(m, m.node("ConvTranspose", inputs, c.attributes), "deconvolution");
  }
}

TEST_F(Primitives, Pooling) {
  const struct {
    const char* op;
    Attributes attributes;
  } cases[] = {
      {"MaxPool", {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}},
      {"MaxPool", {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", int64_t(1)}}},
      {"MaxPool", {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 2}}}},
      {"MaxPool", {{"kernel_shape", Ints{3, 3}}, {"auto_pad", std::string("SAME_LOWER")}}},
      {"AveragePool", {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{0, 0, 1, 1}}}},
      {"AveragePool", {{"kernel_shape", Ints{3, 2}}, {"pads", Ints{1, 0, 1, 1}}, {"count_include_pad", int64_t(1)}}},
      {"GlobalAveragePool", {}},
      {"GlobalMaxPool", {}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    GraphMaker m;
    expect_one_primitive(m, m.node(c.op, {m.input("x", {1, 16, 12, 11})}, c.attributes), "pooling");
  }
}

TEST_F(Primitives, MatMul) {
  const struct {
    Ints a, b;
    bool constant;
  } cases[] = {{{5, 7}, {7, 9}, false},
               {{2, 5, 7}, {7, 9}, true},
               {{2, 3, 5, 7}, {2, 3, 7, 4}, false},
               {{2, 1, 5, 7}, {3, 7, 4}, false},
               {{3, 5, 7}, {3, 7, 4}, true},
               {{7}, {7, 9}, true},
               {{5, 7}, {7}, false},
               {{1, 512}, {512, 300}, true},
               {{4, 1, 7}, {1, 7, 3}, true}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    GraphMaker m;
    const ValueId a = m.input("a", Shape(c.a.begin(), c.a.end()));
    const ValueId b = c.constant ? weights(m, c.b) : m.input("b", Shape(c.b.begin(), c.b.end()));
    expect_one_primitive(m, m.node("MatMul", {a, b}), "matmul");
  }
}

TEST_F(Primitives, MatMulReadsTransposedOperands) {
  GraphMaker m;
  const ValueId a = m.node("Transpose", {m.input("a", {5, 2, 3, 7})}, {{"perm", Ints{1, 2, 0, 3}}});
  const ValueId b = m.node("Transpose", {m.input("b", {4, 2, 3, 7})}, {{"perm", Ints{1, 2, 3, 0}}});
  const ValueId product = m.node("Transpose", {m.node("MatMul", {a, b})}, {{"perm", Ints{2, 0, 1, 3}}});
  const Report report = expect_same(m, m.node("Reshape", {product, m.ints({5, 24})}));
  EXPECT_EQ(kinds(report), Kinds{"matmul"});
}

TEST_F(Primitives, Gemm) {
  for (const int64_t transposed : {0, 1}) {
    GraphMaker m;
    const ValueId a = m.input("a", {6, 6}), b = weights(m, {6, 6}), c = weights(m, {6});
    expect_one_primitive(m, m.node("Gemm", {a, b, c}, {{"transA", transposed}, {"transB", 1 - transposed}}), "matmul");
    GraphMaker scaled;
    const ValueId x = scaled.input("a", {6, 6});
    expect_one_primitive(scaled, scaled.node("Gemm", {x, weights(scaled, {6, 6})}, {{"alpha", 0.5f}}), "matmul");
  }
}

TEST_F(Primitives, GemmWithFactors) {
  for (const Ints& dims : {Ints{6}, Ints{4, 6}, Ints{4, 1}, Ints{}})
    for (const auto& [alpha, beta] : {std::pair(0.5f, 1.0f), std::pair(3.0f, 3.0f), std::pair(0.5f, 3.0f)}) {
      SCOPED_TRACE(alpha);
      GraphMaker m;
      const ValueId a = m.input("a", {4, 8}), c = m.input("c", Shape(dims.begin(), dims.end()));
      const ValueId gemm = m.node("Gemm", {a, weights(m, {8, 6}), c}, {{"alpha", alpha}, {"beta", beta}});
      EXPECT_EQ(kinds(expect_same(m, gemm)).back(), alpha == beta || beta == 1 ? "matmul" : "kernels");
    }
}

TEST_F(Primitives, MeanOfImagesIsPooling) {
  for (const int64_t keep : {0, 1}) {
    GraphMaker m;
    const ValueId x = m.input("x", {2, 16, 7, 7});
    expect_one_primitive(m, m.node("ReduceMean", {x}, {{"axes", Ints{2, 3}}, {"keepdims", keep}}), "pooling");
  }
}

TEST_F(Primitives, Eltwise) {
  for (const char* op :
       {"Relu", "Sigmoid", "Tanh", "Elu", "LeakyRelu", "Exp", "Abs", "HardSwish", "Round", "Neg", "Softplus", "Mish"}) {
    SCOPED_TRACE(op);
    GraphMaker m(18);
    expect_one_primitive(m, m.node(op, {m.input("x", {3, 5, 7})}), "eltwise");
  }
  for (const char* op : {"Sqrt", "Log"}) {
    GraphMaker m;
    EXPECT_EQ(expect_same(m, m.node(op, {m.node("Exp", {m.input("x", {3, 5})})})).primitives, 2);
  }
}

TEST_F(Primitives, EltwiseWithParameters) {
  for (const char* op : {"Elu", "LeakyRelu", "Swish"}) {
    SCOPED_TRACE(op);
    GraphMaker m(24);
    expect_one_primitive(m, m.node(op, {m.input("x", {3, 5, 7})}, {{"alpha", 1.5f}}), "eltwise");
  }
}

TEST_F(Primitives, EltwiseWithConstants) {
  for (const char* op : {"Add", "Sub", "Mul", "Div"})
    for (const bool constant_first : {false, true}) {
      SCOPED_TRACE(std::string(op) + (constant_first ? " first" : ""));
      GraphMaker m;
      const ValueId x = m.node("Exp", {m.input("x", {3, 5})}), c = m.floats({}, {1.5});
      expect_same(m, constant_first ? m.node(op, {c, x}) : m.node(op, {x, c}));
    }
  GraphMaker m;
  expect_one_primitive(m, m.node("Clip", {m.input("x", {3, 50}), m.floats({}, {-0.25}), m.floats({}, {0.5})}),
                       "eltwise");
  GraphMaker power;
  expect_one_primitive(power, power.node("Pow", {power.input("x", {3, 5}), power.floats({}, {2})}), "eltwise");
}

TEST_F(Primitives, Binary) {
  for (const char* op : {"Add", "Sub", "Mul", "Max", "Min"})
    for (const Shape& other : {Shape{2, 3, 4, 5}, Shape{3, 1, 1}, Shape{5}, Shape{2, 1, 4, 1}}) {
      SCOPED_TRACE(std::string(op) + " " + to_string(other));
      GraphMaker m;
      expect_one_primitive(m, m.node(op, {m.input("x", {2, 3, 4, 5}), m.input("y", other)}), "binary");
    }
  GraphMaker m;
  const ValueId small = m.input("y", {5}), large = m.input("x", {2, 5});
  expect_same(m, m.node("Sub", {small, large}));
}

TEST_F(Primitives, Softmax) {
  for (const int64_t axis : {0, 1, 2}) {
    GraphMaker m;
    expect_one_primitive(m, m.node("Softmax", {m.input("x", {3, 5, 7})}, {{"axis", axis}}), "softmax");
    GraphMaker logarithm;
    expect_one_primitive(logarithm, logarithm.node("LogSoftmax", {logarithm.input("x", {3, 5, 7})}, {{"axis", axis}}),
                         "softmax");
    GraphMaker flat(11);
    expect_one_primitive(flat, flat.node("Softmax", {flat.input("x", {3, 5, 7})}, {{"axis", axis}}), "softmax");
  }
}

TEST_F(Primitives, Normalizations) {
  for (const int64_t axis : {-1, 1}) {
    GraphMaker m;
    const Ints dims = axis == -1 ? Ints{64} : Ints{5, 64};
    const ValueId x = m.input("x", {3, 5, 64});
    expect_one_primitive(m, m.node("LayerNormalization", {x, weights(m, dims), weights(m, dims)}, {{"axis", axis}}),
                         "layer_normalization");
  }
  GraphMaker batch;
  const ValueId x = batch.input("x", {2, 16, 5, 6});
  const ValueId variance = batch.floats({16}, std::vector<double>(16, 0.5));
  const ValueId normal = batch.node("BatchNormalization",
                                    {x, weights(batch, {16}), weights(batch, {16}), weights(batch, {16}, 3), variance});
  const Report report = expect_same(batch, batch.node("Relu", {normal}));
  EXPECT_EQ(kinds(report), (Kinds{"reorder", "batch_normalization", "reorder"}));
  GraphMaker lrn;
  expect_one_primitive(lrn, lrn.node("LRN", {lrn.input("x", {1, 32, 5, 6})}, {{"size", int64_t(5)}}), "lrn");
}

TEST_F(Primitives, Reductions) {
  for (const char* op : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceProd"})
    for (const int64_t keep : {0, 1}) {
      SCOPED_TRACE(op);
      GraphMaker m(18);
      const ValueId x = m.input("x", {3, 5, 7});
      expect_one_primitive(m, m.node(op, {x, m.ints({1, -1})}, {{"keepdims", keep}}), "reduction");
    }
}

TEST_F(Primitives, Resampling) {
  const struct {
    Attributes attributes;
    std::vector<double> scales;
  } cases[] = {{{{"mode", std::string("linear")}}, {1, 1, 2, 1.5}},
               {{{"coordinate_transformation_mode", std::string("asymmetric")}, {"nearest_mode", std::string("floor")}},
                {1, 1, 2, 3}},
               {{}, {1, 1, 2, 2}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    GraphMaker m;
    const ValueId x = m.input("x", {1, 16, 6, 8});
    expect_one_primitive(m, m.node("Resize", {x, kNoValue, m.floats({4}, c.scales)}, c.attributes), "resampling");
  }
}

TEST_F(Primitives, WhatOneDnnSamplesDifferentlyIsOurs) {
  GraphMaker m;
  const ValueId x = m.input("x", {1, 4, 6, 6});
  const Report report = expect_same(m, m.node("Resize", {x, kNoValue, m.floats({4}, {1, 1, 1.5, 1.5})},
                                              {{"coordinate_transformation_mode", std::string("asymmetric")},
                                               {"nearest_mode", std::string("ceil")}}));
  EXPECT_EQ(kinds(report), Kinds{"kernels"});
}

TEST_F(Primitives, PRelu) {
  GraphMaker m;
  expect_one_primitive(m, m.node("PRelu", {m.input("x", {2, 3, 4, 5}), weights(m, {3, 1, 1})}), "prelu");
}

}  // namespace
}  // namespace cppgen::baseline
