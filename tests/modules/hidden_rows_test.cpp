// Queries that see no key: their rows are 0, whatever hides the keys and however the attention is computed.
#include <cmath>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int64_t kKeys = 37, kHeadSize = 8;

std::vector<float> wave(int64_t count, float phase) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; i++) values.push_back(std::sin(0.7f * float(i) + phase));
  return values;
}

// All keys of the second row are hidden, and the last one of the others.
struct Case {
  int64_t rows;
  std::string mask;  // bool, float, or lengths: all rows of the first batch see no key
};

std::vector<Value> inputs_of(const Case& c) {
  std::vector<Value> inputs;
  for (int64_t count : {c.rows, kKeys, kKeys})
    inputs.push_back(floats({2, 1, count, kHeadSize}, wave(2 * count * kHeadSize, float(inputs.size()))));
  if (c.mask == "lengths") return inputs.push_back(ints({2}, {0, kKeys - 1})), inputs;
  std::vector<uint8_t> seen(size_t(c.rows * kKeys), 1);
  std::vector<float> added(seen.size(), 0);
  for (int64_t i = 0; i < c.rows * kKeys; i++)
    if (i / kKeys == 1 || i % kKeys == kKeys - 1) seen[size_t(i)] = 0, added[size_t(i)] = -INFINITY;
  inputs.push_back(c.mask == "bool" ? tensor(DType::boolean, {c.rows, kKeys}, seen) : floats({c.rows, kKeys}, added));
  return inputs;
}

Model model_of(const Case& c) {
  ModelMaker m(24);
  m.model.set_ir_version(10);
  const std::string rows = std::to_string(c.rows);
  m.input("q", {"2", "1", rows, "8"}).input("k", {"2", "1", "37", "8"}).input("v", {"2", "1", "37", "8"});
  std::vector<std::string> inputs{"q", "k", "v"};
  if (c.mask == "lengths") {
    m.input("lengths", {"2"}, onnx::TensorProto::INT64);
    inputs.insert(inputs.end(), {"", "", "", "lengths"});
  } else {
    m.input("mask", {rows, "37"}, c.mask == "bool" ? onnx::TensorProto::BOOL : onnx::TensorProto::FLOAT);
    inputs.push_back("mask");
  }
  m.node("Attention", inputs, {"y"});
  return Model(m.output("y"));
}

bool is_hidden(const Case& c, int64_t row) { return c.mask == "lengths" ? row < c.rows : row % c.rows == 1; }

TEST(HiddenRows, AreZero) {
  for (int64_t rows : {3, 33})
    for (const std::string mask : {"bool", "float", "lengths"}) {
      SCOPED_TRACE(fmt::format("{} rows, {}", rows, mask));
      const Case c{rows, mask};
      const Model model = model_of(c);
      const auto expected = numbers(model.interpreted(inputs_of(c))[0]);
      const auto actual = numbers(model.compiled(inputs_of(c), 2)[0]);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); i++) {
        EXPECT_NEAR(actual[i], expected[i], 1e-6) << i;
        EXPECT_EQ(expected[i] == 0, is_hidden(c, int64_t(i) / kHeadSize)) << i;
      }
    }
}

}  // namespace
}  // namespace cppgen::modules
