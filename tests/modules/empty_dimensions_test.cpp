// Dimensions that are found to be 0 or 1 in the run, where an operator repeats elements or looks for them.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;

// Pad of x [n]; with pads that only the run knows if there are none.
Model padded(const std::string& mode, const Ints& pads) {
  ModelMaker m(19);
  m.input("x", {"n"}).output("y");
  if (pads.empty()) {
    m.input("pads", {"2"}, onnx::TensorProto::INT64);
  } else {
    auto& tensor = m.initializer("pads", {2}, onnx::TensorProto::INT64);
    for (int64_t p : pads) tensor.add_int64_data(p);
  }
  set_attribute(m.node("Pad", {"x", "pads"}, {"y"}, "padding"), "mode", mode);
  return Model(m);
}

Value counted(int64_t n) {
  std::vector<float> values;
  for (int64_t i = 0; i < n; i++) values.push_back(float(i) + 7);
  return floats({n}, values);
}

void expect_refused(const Model& model, const std::vector<Value>& inputs, const std::string& why) {
  EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find(why), std::string::npos);
  EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find(why), std::string::npos);
}

// One remaining element is repeated; none is an error.
TEST(Pad, RepeatsWhatIsLeft) {
  struct Case {
    std::string mode;
    Ints pads;
    int64_t least;  // n
    std::vector<float> expected;
  };
  const Case cases[] = {
      {"reflect", {2, 3}, 1, {7, 7, 7, 7, 7, 7}}, {"edge", {1, 1}, 1, {7, 7, 7}},  {"wrap", {2, 1}, 1, {7, 7, 7, 7}},
      {"reflect", {-2, 3}, 3, {9, 9, 9, 9}},      {"edge", {2, -1}, 2, {7, 7, 7}}, {"wrap", {-1, 2}, 2, {8, 8, 8}},
  };
  for (const Case& c : cases) {
    const Model known = padded(c.mode, c.pads), of_run = padded(c.mode, {});
    EXPECT_EQ(numbers(known.run({counted(c.least)})[0]), c.expected) << c.mode;
    EXPECT_EQ(numbers(of_run.run({counted(c.least), ints({2}, c.pads)})[0]), c.expected) << c.mode;
    expect_refused(known, {counted(c.least - 1)}, "n");
    expect_refused(of_run, {counted(c.least - 1), ints({2}, c.pads)}, "padding");
  }
}

// What is only cropped may become empty.
TEST(Pad, CropsToNothing) {
  EXPECT_TRUE(numbers(padded("edge", {-1, 0}).run({counted(1)})[0]).empty());
  EXPECT_TRUE(numbers(padded("reflect", {}).run({counted(2), ints({2}, {-1, -1})})[0]).empty());
  EXPECT_TRUE(numbers(padded("wrap", {}).run({counted(0), ints({2}, {0, 0})})[0]).empty());
}

TEST(Pad, FillsAnEmptyDimension) {
  EXPECT_EQ(numbers(padded("constant", {1, 1}).run({counted(0)})[0]), (std::vector<float>{0, 0}));
  EXPECT_EQ(numbers(padded("constant", {}).run({counted(0), ints({2}, {2, 1})})[0]), (std::vector<float>{0, 0, 0}));
}

Model scattered(const char* op, const std::vector<std::string>& indices, const std::vector<std::string>& updates,
                const std::string& reduction) {
  ModelMaker m(18);
  m.input("x", {"n", "3"}).input("i", indices, onnx::TensorProto::INT64).input("u", updates).output("y");
  set_attribute(m.node(op, {"x", "i", "u"}, {"y"}), "reduction", reduction);
  return Model(m);
}

// Without updates the data stay as they are.
TEST(Scatter, WithoutUpdates) {
  const Value x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* reduction : {"none", "add", "max"}) {
    const Model elements = scattered("ScatterElements", {"k", "l"}, {"k", "l"}, reduction);
    for (const Ints& dims : {Ints{0, 3}, Ints{2, 0}, Ints{0, 0}})
      EXPECT_EQ(numbers(elements.run({x, ints(dims, {}), floats(dims, {})})[0]), numbers(x)) << reduction;
    const Model rows = scattered("ScatterND", {"k", "1"}, {"k", "3"}, reduction);
    EXPECT_EQ(numbers(rows.run({x, ints({0, 1}, {}), floats({0, 3}, {})})[0]), numbers(x)) << reduction;
    EXPECT_TRUE(numbers(rows.run({floats({0, 3}, {}), ints({0, 1}, {}), floats({0, 3}, {})})[0]).empty());
    const Model numbers_of = scattered("ScatterND", {"k", "l", "2"}, {"k", "l"}, reduction);
    EXPECT_EQ(numbers(numbers_of.run({x, ints({2, 0, 2}, {}), floats({2, 0}, {})})[0]), numbers(x)) << reduction;
  }
}

}  // namespace
}  // namespace cppgen::modules
