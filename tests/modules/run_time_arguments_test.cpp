// Operators whose arguments only a run knows give what they give with the same arguments as constants.
#include <variant>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;

using Attribute = std::variant<int64_t, std::string, Ints>;

// An argument; none if it has no type.
struct Argument {
  Ints dims;
  std::vector<double> values;
  int type = onnx::TensorProto::INT64;
};
Argument list(const Ints& values) { return {{int64_t(values.size())}, {values.begin(), values.end()}}; }
Argument scalar(int64_t value) { return {{}, {double(value)}}; }
Argument small(int64_t value) { return {{}, {double(value)}, onnx::TensorProto::INT32}; }
Argument number(double value) { return {{}, {value}, onnx::TensorProto::FLOAT}; }
Argument reals(const std::vector<double>& v) { return {{int64_t(v.size())}, v, onnx::TensorProto::FLOAT}; }
Argument table(const Ints& dims, const std::vector<double>& v) { return {dims, v, onnx::TensorProto::FLOAT}; }
Argument indices(const Ints& dims, const std::vector<double>& v) { return {dims, v}; }
Argument bools(const Ints& v) { return {{int64_t(v.size())}, {v.begin(), v.end()}, onnx::TensorProto::BOOL}; }
const Argument kNone{{}, {}, onnx::TensorProto::UNDEFINED};

struct Case {
  std::string op;
  int opset;
  Ints data;  // dimensions of the first input; {-1}: there is none
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, Attribute>> attributes;
  bool fits = true;
  int outputs = 1;
  bool fixed = false;  // the data's dimensions are constants: the operator does not take symbols
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.op << c.opset << " of " << testing::PrintToString(c.data);
  for (const Argument& a : c.arguments) *out << " " << testing::PrintToString(a.values);
}

bool has_data(const Case& c) { return c.data != Ints{-1}; }

ModelMaker model_of(const Case& c, bool constants) {
  ModelMaker m(c.opset);
  std::vector<std::string> inputs, outputs;
  if (has_data(c)) {
    std::vector<std::string> dims;
    for (size_t d = 0; d < c.data.size(); d++)
      dims.push_back(constants || c.fixed ? std::to_string(c.data[d]) : fmt::format("D{}", d));
    m.input("x", dims);
    inputs.push_back("x");
  }
  for (size_t i = 0; i < c.arguments.size(); i++) {
    const Argument& a = c.arguments[i];
    inputs.push_back(a.type == onnx::TensorProto::UNDEFINED ? "" : fmt::format("a{}", i));
    if (inputs.back().empty()) continue;
    if (!constants) {
      std::vector<std::string> dims;
      for (int64_t d : a.dims) dims.push_back(std::to_string(d));
      m.input(inputs.back(), dims, a.type);
      continue;
    }
    auto& tensor = m.initializer(inputs.back(), a.dims, a.type);
    for (double v : a.values) {
      if (a.type == onnx::TensorProto::INT64) tensor.add_int64_data(int64_t(v));
      if (a.type == onnx::TensorProto::FLOAT) tensor.add_float_data(float(v));
      if (a.type == onnx::TensorProto::BOOL || a.type == onnx::TensorProto::INT32) tensor.add_int32_data(int(v));
    }
  }
  for (int i = 0; i < c.outputs; i++) outputs.push_back(fmt::format("y{}", i));
  auto& node = m.node(c.op, inputs, outputs, "asked");
  for (const auto& [name, value] : c.attributes)
    std::visit([&, &attribute = name](const auto& v) { set_attribute(node, attribute, v); }, value);
  for (const std::string& name : outputs) m.output(name);
  return m;
}

std::vector<Value> inputs_of(const Case& c, bool constants) {
  std::vector<Value> inputs;
  if (has_data(c)) {
    std::vector<float> values(size_t(rt::element_count(c.data)));
    for (size_t i = 0; i < values.size(); i++) values[i] = float(i) + 1;
    inputs.push_back(floats(c.data, values));
  }
  for (const Argument& a : c.arguments) {
    if (constants) break;
    if (a.type == onnx::TensorProto::UNDEFINED) continue;
    if (a.type == onnx::TensorProto::INT64) {
      inputs.push_back(ints(a.dims, {a.values.begin(), a.values.end()}));
    } else if (a.type == onnx::TensorProto::INT32) {
      inputs.push_back(tensor<int32_t>(DType::i32, a.dims, {a.values.begin(), a.values.end()}));
    } else if (a.type == onnx::TensorProto::FLOAT) {
      inputs.push_back(floats(a.dims, {a.values.begin(), a.values.end()}));
    } else {
      inputs.push_back(tensor<uint8_t>(DType::boolean, a.dims, {a.values.begin(), a.values.end()}));
    }
  }
  return inputs;
}

class RunTimeArguments : public testing::TestWithParam<Case> {};

TEST_P(RunTimeArguments, GiveWhatConstantsGive) {
  const Case& c = GetParam();
  Model model(model_of(c, false));
  const bool transforms = std::string(c.op).ends_with("FT");  // DFT, STFT
  if (transforms) model.rounding_otherwise();
  if (!c.fits) {
    for (const auto& run : {std::function([&] { model.interpreted(inputs_of(c, false)); }),
                            std::function([&] { model.compiled(inputs_of(c, false), 1); })})
      EXPECT_NE(error_of(run).find("asked"), std::string::npos);
    return;
  }
  const auto expected = Model(model_of(c, true)).interpreted(inputs_of(c, true));
  const auto actual = model.run(inputs_of(c, false));
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); i++)
    transforms ? Model::expect_near(actual[i], expected[i]) : Model::expect_same(actual[i], expected[i]);
}

const Case kCases[] = {
    {"Reshape", 14, {2, 6}, {list({3, -1})}, {}},
    {"Reshape", 14, {2, 6}, {list({0, 2, 3})}, {}},
    {"Reshape", 14, {2, 3}, {list({6})}, {}},
    {"Reshape", 14, {6}, {list({-1})}, {}},
    {"Reshape", 14, {6}, {list({5})}, {}, false},
    {"Reshape", 14, {0, 6}, {list({3, 0})}, {{"allowzero", 1}}},
    {"Reshape", 14, {2, 6}, {list({5, -1})}, {}, false},
    {"Squeeze", 13, {1, 3, 1, 2}, {list({-2, 0})}, {}},
    {"Squeeze", 13, {1, 3, 1, 2}, {list({1})}, {}, false},
    {"Unsqueeze", 13, {3, 2}, {list({0, -1})}, {}},
    {"Unsqueeze", 13, {3, 2}, {list({1, 1})}, {}, false},
    {"Expand", 13, {3, 1}, {list({2, 1, 4})}, {}},
    {"Expand", 13, {3, 4}, {list({1, 1})}, {}},
    {"Expand", 13, {1}, {list({0})}, {}},
    {"Expand", 13, {3, 4}, {list({2, 4})}, {}, false},
    {"Tile", 13, {2, 9}, {list({3, 2})}, {}},
    {"Tile", 13, {2, 3}, {list({0, 2})}, {}},
    {"Tile", 13, {2, 3}, {list({-1, 2})}, {}, false},
    {"Slice", 13, {5, 7}, {list({1, -6}), list({4, 9})}, {}},
    {"Slice", 13, {5, 7}, {list({-1}), list({-9}), list({1}), list({-2})}, {}},
    {"Slice", 13, {5, 7}, {list({3}), list({1})}, {}},
    {"Slice", 13, {5, 7}, {list({0}), list({1}), list({0}), list({0})}, {}, false},
    {"Pad", 13, {2, 3}, {list({1, 0, 0, 2})}, {}},
    {"Pad", 13, {4, 3}, {list({-1, 1, 0, -1})}, {}},
    {"Pad", 13, {2, 3}, {list({-3, 0, 0, 0})}, {}, false},
    {"Range", 11, {-1}, {scalar(3), scalar(-8), scalar(-3)}, {}},
    {"Range", 11, {-1}, {number(1), number(4), number(2)}, {}},
    {"Range", 11, {-1}, {scalar(3), scalar(1), scalar(1)}, {}},
    {"Range", 11, {-1}, {scalar(3), scalar(1), scalar(0)}, {}, false},
    {"ConstantOfShape", 9, {-1}, {list({2, 0, 3})}, {}},
    {"ConstantOfShape", 9, {-1}, {list({2, 3})}, {}},
    {"ConstantOfShape", 9, {-1}, {list({-2})}, {}, false},
    {"OneHot", 11, {-1}, {list({1, 3, -1}), scalar(4), list({5, 6})}, {{"axis", 0}}},
    {"TopK", 11, {2, 5}, {list({3})}, {{"axis", 1}}, true, 2, true},
    {"TopK", 11, {2, 5}, {list({6})}, {}, false, 2, true},
    {"Compress", 11, {3, 4}, {bools({1, 0, 1})}, {{"axis", 0}}},
    {"Compress", 11, {3, 4}, {bools({0, 1, 1, 0, 1})}, {}},
    {"HannWindow", 17, {-1}, {scalar(6)}, {}},
    {"Pad", 18, {2, 3, 2}, {list({1, 2, 0, 1}), kNone, list({-1, 0})}, {}},
    {"Pad", 18, {2, 3}, {list({1, 2}), kNone, list({3})}, {}, false},
    {"Pad", 18, {2, 3}, {list({1, 2, 0, 1}), kNone, list({0, -2})}, {}, false},
    {"Pad", 19, {2, 4}, {list({0, 3, 1, 2})}, {{"mode", "reflect"}}},
    {"Range", 11, {-1}, {number(1), number(2.25), number(0.5)}, {}},
    {"Range", 11, {-1}, {number(2), number(-0.75), number(-0.25)}, {}},
    {"Resize", 13, {1, 1, 2, 3}, {kNone, reals({1, 1, 2, 2})}, {}},
    {"Resize", 13, {1, 1, 4, 4}, {kNone, reals({1, 1, 0.5, 2})}, {{"mode", "linear"}}},
    {"Resize", 13, {2, 2, 2, 2}, {kNone, reals({1, 1, 2, 2})}, {{"mode", "cubic"}}},
    {"Resize", 13, {1, 1, 2, 2}, {kNone, reals({1, 1, -1, 2})}, {}, false},
    {"Resize", 13, {1, 1, 4, 2}, {kNone, kNone, list({1, 1, 2, 6})}, {}},
    {"Resize",
     13,
     {1, 1, 3, 3},
     {kNone, kNone, list({1, 1, 5, 2})},
     {{"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}}},
    {"Resize",
     13,
     {1, 1, 3, 3},
     {kNone, kNone, list({1, 1, 1, 6})},
     {{"mode", "linear"}, {"coordinate_transformation_mode", "pytorch_half_pixel"}}},
    {"Resize",
     19,
     {1, 1, 4, 4},
     {kNone, kNone, list({7, 6})},
     {{"axes", Ints{2, 3}}, {"keep_aspect_ratio_policy", "not_larger"}}},
    {"Resize",
     19,
     {1, 1, 2, 4},
     {kNone, kNone, list({4, 3})},
     {{"axes", Ints{-1, -2}}, {"keep_aspect_ratio_policy", "not_smaller"}}},
    {"Resize",
     19,
     {1, 1, 4, 4},
     {reals({0.25, 0, 0.75, 1}), kNone, list({3, 5})},
     {{"axes", Ints{2, 3}}, {"coordinate_transformation_mode", "tf_crop_and_resize"}}},
    {"Resize", 19, {1, 1, 8, 8}, {kNone, reals({1, 1, 0.5, 0.25})}, {{"mode", "linear"}, {"antialias", 1}}},
    {"Resize", 19, {1, 1, 8, 4}, {kNone, kNone, list({1, 1, 4, 8})}, {{"mode", "linear"}, {"antialias", 1}}},
    {"Resize", 10, {1, 1, 2, 3}, {reals({1, 1, 2, 3})}, {}},
    {"Upsample", 9, {1, 1, 2, 3}, {reals({1, 1, 2, 3})}, {}},
    {"Upsample", 9, {1, 1, 2, 2}, {reals({1, 1, 2, 2})}, {{"mode", "linear"}}},
    {"Split", 13, {6, 2}, {list({1, 3, 2})}, {}, true, 3},
    {"Split", 18, {2, 5}, {list({0, 5})}, {{"axis", -1}}, true, 2},
    {"Split", 13, {6, 2}, {list({1, 3})}, {}, false, 2},
    {"Split", 13, {6}, {list({7, -1})}, {}, false, 2},
    {"Split", 18, {7, 2}, {}, {{"num_outputs", 3}}, true, 3},
    {"DFT", 20, {1, 4, 1}, {scalar(4)}, {}, true, 1, true},
    {"DFT", 20, {2, 4, 1}, {scalar(2)}, {{"onesided", 1}}, true, 1, true},
    {"DFT", 17, {1, 2, 2}, {scalar(4)}, {{"axis", 1}, {"inverse", 1}}, true, 1, true},
    {"DFT", 20, {1, 4, 1}, {scalar(0)}, {}, false, 1, true},
    {"DFT", 20, {4, 2, 1}, {kNone, scalar(0)}, {}, true, 1, true},
    {"DFT", 20, {2, 4, 2, 1}, {kNone, scalar(-3)}, {{"onesided", 1}}, true, 1, true},
    {"DFT", 20, {2, 3, 4, 2}, {scalar(4), scalar(1)}, {}, true, 1, true},
    {"DFT", 20, {2, 2, 2}, {kNone, small(1)}, {{"inverse", 1}}, true, 1, true},
    {"DFT", 20, {2, 4, 1}, {kNone, scalar(-1)}, {}, false, 1, true},
    {"DFT", 20, {2, 4, 1}, {kNone, scalar(-4)}, {}, false, 1, true},
    {"DFT", 20, {2, 4, 1}, {kNone, scalar(3)}, {}, false, 1, true},
    {"STFT", 17, {1, 10, 1}, {scalar(3), reals({1, 2, 1, 0.5})}, {}, true, 1, true},
    {"STFT", 17, {1, 10, 1}, {scalar(2), kNone, scalar(4)}, {{"onesided", 0}}, true, 1, true},
    {"STFT", 17, {1, 3, 1}, {scalar(2), kNone, scalar(4)}, {}, true, 1, true},
    {"STFT", 17, {1, 10, 1}, {scalar(0), kNone, scalar(4)}, {}, false, 1, true},
    {"STFT", 17, {1, 10, 1}, {scalar(1), reals({1, 2, 1}), scalar(4)}, {}, false, 1, true},
    {"MelWeightMatrix", 17, {-1}, {small(8), small(16), small(8192), number(0), number(8192)}, {}},
    {"MelWeightMatrix", 17, {-1}, {small(3), small(9), small(8000), number(100), number(3000)}, {}},
    {"MelWeightMatrix", 17, {-1}, {small(3), small(9), small(8000), number(100), number(50)}, {}, false},
    {"MaxUnpool",
     11,
     {1, 1, 2, 2},
     {indices({1, 1, 2, 2}, {5, 7, 13, 15}), list({1, 1, 5, 5})},
     {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}},
     true,
     1,
     true},
    {"MaxUnpool",
     11,
     {1, 1, 2, 2},
     {indices({1, 1, 2, 2}, {5, 7, 13, 15}), list({2, 1, 5, 5})},
     {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}},
     false,
     1,
     true},
    {"MaxUnpool", 11, {1, 2, 2}, {indices({1, 2, 2}, {1, 2, 2, 7})}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}},
    {"MaxUnpool",
     11,
     {1, 1, 2},
     {indices({1, 1, 2}, {1, 4})},
     {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}},
     false},
    {"Col2Im", 18, {1, 4, 6}, {list({3, 4}), list({2, 2})}, {}},
    {"Col2Im", 18, {1, 4, 4}, {list({4, 4}), list({2, 2})}, {{"strides", Ints{2, 2}}}},
    {"Col2Im", 18, {1, 4, 5}, {list({3, 4}), list({2, 2})}, {}, false},
    {"Col2Im", 18, {1, 4, 6}, {list({3, 4}), list({0, 2})}, {}, false},
    {"CenterCropPad", 18, {5, 4}, {list({2, 7})}, {}},
    {"CenterCropPad", 18, {5, 4, 3}, {list({0, 4})}, {{"axes", Ints{-1, 0}}}},
    {"CenterCropPad", 18, {5, 4}, {list({-2, 7})}, {}, false},
    {"AffineGrid", 20, {2, 2, 3}, {list({2, 1, 4, 2})}, {}, true, 1, true},
    {"AffineGrid", 20, {1, 3, 4}, {list({1, 5, 3, 5, 2})}, {{"align_corners", 1}}, true, 1, true},
    {"AffineGrid", 20, {2, 2, 3}, {list({1, 1, 4, 2})}, {}, false, 1, true},
    {"ReduceSum", 13, {2, 3, 4}, {list({-1, 0})}, {}},
    {"ReduceSum", 13, {2, 3, 4}, {list({1})}, {{"keepdims", 0}}},
    {"ReduceSum", 13, {2, 0, 4}, {list({1})}, {{"keepdims", 0}}},
    {"ReduceMax", 18, {2, 3, 4}, {list({0, 2})}, {{"keepdims", 0}}},
    {"ReduceMean", 18, {4, 1, 2}, {list({0})}, {}},
    {"ReduceSum", 13, {2, 3}, {list({2})}, {}, false},
    {"ReduceSum", 13, {2, 3}, {list({1, -1})}, {}, false},
    {"CumSum", 14, {3, 4}, {scalar(-2)}, {{"reverse", 1}}},
    {"CumSum", 14, {3, 4}, {small(1)}, {{"exclusive", 1}}},
    {"CumSum", 14, {3, 4}, {scalar(2)}, {}, false},
    {"TopK", 11, {2, 5}, {list({3})}, {{"axis", 0}}, false, 2},
    {"TopK", 11, {4, 5}, {list({3})}, {{"axis", 0}, {"largest", 0}}, true, 2},
    {"NonMaxSuppression",
     11,
     {-1},
     {table({1, 4, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 5, 1, 6, 0, 5.1, 1, 6.1}),
      table({1, 2, 4}, {0.9, 0.75, 0.6, 0.95, 0.5, 0.5, 0.1, 0.2}), scalar(2), number(0.5), number(0.15)},
     {}},
};
INSTANTIATE_TEST_SUITE_P(Operators, RunTimeArguments, testing::ValuesIn(kCases));

// Dimensions that two inputs bring from the data: 1 against more is broadcast, others are refused.
ModelMaker sum_of_chosen() {
  ModelMaker m;
  m.input("x", {"N"}).input("a", {"N"}, onnx::TensorProto::BOOL).input("b", {"N"}, onnx::TensorProto::BOOL).output("y");
  m.node("Compress", {"x", "a"}, {"p"});
  m.node("Compress", {"x", "b"}, {"q"});
  m.node("Add", {"p", "q"}, {"y"}, "sum");
  return m;
}

Value mask(const std::vector<uint8_t>& v) { return tensor(DType::boolean, {int64_t(v.size())}, v); }

TEST(RunTimeBroadcast, OneAgainstMore) {
  const Model model(sum_of_chosen());
  const Value x = floats({4}, {1, 2, 3, 4});
  EXPECT_EQ(numbers(model.run({x, mask({1, 0, 1, 0}), mask({0, 1, 0, 1})})[0]), (std::vector<float>{3, 7}));
  EXPECT_EQ(numbers(model.run({x, mask({0, 0, 1, 0}), mask({1, 1, 0, 1})})[0]), (std::vector<float>{4, 5, 7}));
  EXPECT_TRUE(numbers(model.run({x, mask({0, 0, 1, 0}), mask({0, 0, 0, 0})})[0]).empty());
  const std::vector<Value> refused{x, mask({1, 1, 1, 0}), mask({1, 1, 0, 0})};
  EXPECT_NE(error_of([&] { model.compiled(refused, 1); }).find("sum"), std::string::npos);
  EXPECT_NE(error_of([&] { model.interpreted(refused); }).find("sum"), std::string::npos);
}

// A result that a run makes another shape of than the model declares is no index of the model that is wrong.
TEST(RunTimeArguments, DeclaredShapesAreCompared) {
  ModelMaker m(13);
  m.input("x", {"1", "1", "2", "2"}).input("sizes", {"4"}, onnx::TensorProto::INT64);
  m.output("y");
  auto& type = *m.graph.mutable_output(0)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t d : {1, 1, 4, 4}) type.mutable_shape()->add_dim()->set_dim_value(d);
  m.node("Resize", {"x", "", "", "sizes"}, {"y"}, "asked");
  const Model model(m);
  const std::vector<Value> inputs{floats({1, 1, 2, 2}, {1, 2, 3, 4}), ints({4}, {1, 1, 4, 5})};
  for (const auto& run :
       {std::function([&] { model.interpreted(inputs); }), std::function([&] { model.compiled(inputs, 1); })})
    EXPECT_EQ(error_of(run),
              "node 'asked' (Resize): the inputs of this run are not allowed, or its result does not have the declared "
              "shape");
}

}  // namespace
}  // namespace cppgen::modules
