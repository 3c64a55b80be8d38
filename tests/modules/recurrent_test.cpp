// RNN, GRU and LSTM over sequences of any length, compiled and interpreted: the whole is what its steps one by one
// give.
#include <cmath>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int64_t kInput = 5, kHidden = 19;

struct Cell {
  std::string op, direction;
  int64_t gates, states;
  bool lengths = false;

  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

void PrintTo(const Cell& c, std::ostream* out) { *out << c.op << " " << c.direction << (c.lengths ? " lengths" : ""); }

std::vector<float> waves(int64_t count, float phase) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; i++) values.push_back(0.5f * std::sin(phase + float(i) * 0.7f));
  return values;
}

void weights(ModelMaker& m, const std::string& name, const std::vector<int64_t>& dims, float phase) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  auto& tensor = m.initializer(name, dims, onnx::TensorProto::FLOAT);
  for (float v : waves(count, phase)) tensor.add_float_data(v);
}

// x[T, N, 5], lengths[N], states[D, N, 19] -> Y, and the last states.
ModelMaker model_of(const Cell& c) {
  ModelMaker m(14);
  const std::string d = std::to_string(c.directions());
  m.input("x", {"T", "N", std::to_string(kInput)});
  if (c.lengths) m.input("lengths", {"N"}, onnx::TensorProto::INT32);
  weights(m, "w", {c.directions(), c.gates * kHidden, kInput}, 1);
  weights(m, "r", {c.directions(), c.gates * kHidden, kHidden}, 2);
  weights(m, "b", {c.directions(), 2 * c.gates * kHidden}, 3);
  std::vector<std::string> inputs{"x", "w", "r", "b", c.lengths ? "lengths" : ""}, outputs{"y"};
  for (int64_t s = 0; s < c.states; s++) {
    inputs.push_back(fmt::format("s{}", s));
    outputs.push_back(fmt::format("last{}", s));
    m.input(inputs.back(), {d, "N", std::to_string(kHidden)});
  }
  auto& node = m.node(c.op, inputs, outputs, "cell");
  set_attribute(node, "hidden_size", kHidden);
  auto& direction = *node.add_attribute();
  direction.set_name("direction"), direction.set_type(onnx::AttributeProto::STRING), direction.set_s(c.direction);
  for (const std::string& name : outputs) m.output(name);
  return m;
}

void expect_close(const Value& a, const Value& b) {
  ASSERT_EQ(a.description(), b.description());
  const auto x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); i++) ASSERT_NEAR(x[i], y[i], 2e-6) << i;
}

class Recurrent : public testing::TestWithParam<Cell> {};

TEST_P(Recurrent, OfAnyLengthCompiledAsInterpreted) {
  const Cell c = GetParam();
  const Model model(model_of(c));
  for (int64_t steps : {0, 1, 2, 33})
    for (int64_t batch : {1, 7}) {
      std::vector<Value> inputs{floats({steps, batch, kInput}, waves(steps * batch * kInput, 4))};
      std::vector<int32_t> lengths;
      for (int64_t b = 0; b < batch; b++) lengths.push_back(int32_t(b % (steps + 1)));
      if (c.lengths) inputs.push_back(tensor(DType::i32, {batch}, lengths));
      for (int64_t s = 0; s < c.states; s++)
        inputs.push_back(floats({c.directions(), batch, kHidden}, waves(c.directions() * batch * kHidden, 5)));
      const auto expected = model.interpreted(inputs), one = model.compiled(inputs, 1), two = model.compiled(inputs, 2);
      for (size_t i = 0; i < expected.size(); i++) {
        expect_close(one[i], expected[i]);
        Model::expect_same(one[i], two[i]);
        if (steps == 0 && i > 0) expect_close(one[i], inputs[inputs.size() - size_t(c.states) + i - 1]);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Cells, Recurrent,
                         testing::Values(Cell{"RNN", "forward", 1, 1}, Cell{"RNN", "bidirectional", 1, 1, true},
                                         Cell{"GRU", "reverse", 3, 1}, Cell{"GRU", "bidirectional", 3, 1},
                                         Cell{"GRU", "forward", 3, 1, true}, Cell{"LSTM", "forward", 4, 2},
                                         Cell{"LSTM", "reverse", 4, 2, true}, Cell{"LSTM", "bidirectional", 4, 2}));

TEST(Recurrent, TheWholeIsWhatItsStepsGive) {
  for (const Cell& c : {Cell{"RNN", "forward", 1, 1}, Cell{"GRU", "forward", 3, 1}, Cell{"LSTM", "forward", 4, 2}}) {
    const Model model(model_of(c));
    const int64_t steps = 300, batch = 2;
    const auto x = waves(steps * batch * kInput, 4);
    std::vector<Value> states(size_t(c.states), floats({1, batch, kHidden}, waves(batch * kHidden, 5)));
    std::vector<Value> inputs{floats({steps, batch, kInput}, x)};
    inputs.insert(inputs.end(), states.begin(), states.end());
    const auto whole = numbers(model.interpreted(inputs)[0]);
    for (int64_t t = 0; t < steps; t++) {
      const auto first = x.begin() + t * batch * kInput;
      std::vector<Value> one{floats({1, batch, kInput}, {first, first + batch * kInput})};
      one.insert(one.end(), states.begin(), states.end());
      std::vector<Value> results = model.interpreted(one);
      const auto part = numbers(results[0]);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + t * batch * kHidden)) << c.op << " step " << t;
      states.assign(results.begin() + 1, results.end());
    }
  }
}

}  // namespace
}  // namespace cppgen::modules
