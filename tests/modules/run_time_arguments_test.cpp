// Operators whose arguments only a run knows give what they give with the same arguments as constants.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;

// An int64 or float32 argument; of the latter the numbers are whole.
struct Argument {
  Ints dims, values;
  int type = onnx::TensorProto::INT64;
};
Argument list(const Ints& values) { return {{int64_t(values.size())}, values}; }
Argument scalar(int64_t value) { return {{}, {value}}; }
Argument number(int64_t value) { return {{}, {value}, onnx::TensorProto::FLOAT}; }
Argument bools(const Ints& values) { return {{int64_t(values.size())}, values, onnx::TensorProto::BOOL}; }

struct Case {
  std::string op;
  int opset;
  Ints data;  // dimensions of the first input; {-1}: there is none
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, int64_t>> attributes;
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
    inputs.push_back(fmt::format("a{}", i));
    if (!constants) {
      std::vector<std::string> dims;
      for (int64_t d : a.dims) dims.push_back(std::to_string(d));
      m.input(inputs.back(), dims, a.type);
      continue;
    }
    auto& tensor = m.initializer(inputs.back(), a.dims, a.type);
    for (int64_t v : a.values) {
      if (a.type == onnx::TensorProto::INT64) tensor.add_int64_data(v);
      if (a.type == onnx::TensorProto::FLOAT) tensor.add_float_data(float(v));
      if (a.type == onnx::TensorProto::BOOL) tensor.add_int32_data(int(v));
    }
  }
  for (int i = 0; i < c.outputs; i++) outputs.push_back(fmt::format("y{}", i));
  auto& node = m.node(c.op, inputs, outputs, "asked");
  for (const auto& [name, value] : c.attributes) set_attribute(node, name, value);
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
    if (a.type == onnx::TensorProto::INT64) {
      inputs.push_back(ints(a.dims, a.values));
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
  const Model model(model_of(c, false));
  if (!c.fits) {
    for (const auto& run : {std::function([&] { model.interpreted(inputs_of(c, false)); }),
                            std::function([&] { model.compiled(inputs_of(c, false), 1); })})
      EXPECT_NE(error_of(run).find("asked"), std::string::npos);
    return;
  }
  const auto expected = Model(model_of(c, true)).interpreted(inputs_of(c, true));
  const auto actual = model.run(inputs_of(c, false));
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); i++) Model::expect_same(actual[i], expected[i]);
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

}  // namespace
}  // namespace cppgen::modules
