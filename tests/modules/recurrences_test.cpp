// RNN, GRU and LSTM over as many steps as a run has, compared with the same weights over a constant number.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int64_t kInput = 3, kHidden = 2;

struct Form {
  const char* op;
  int gates, states;
  const char* direction;
  bool batch_first, lengths, initial;
};

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}

void fill(onnx::TensorProto& t, float seed) {
  int64_t elements = 1;
  for (int64_t d : t.dims()) elements *= d;
  for (int64_t i = 0; i < elements; i++) t.add_float_data(0.7f * std::sin(seed + 1.3f * float(i)));
}

ModelMaker recurrent_model(const Form& f, const std::string& steps) {
  ModelMaker m(14);
  const int64_t directions = std::string(f.direction) == "bidirectional" ? 2 : 1;
  m.input("x", f.batch_first ? std::vector<std::string>{"B", steps, "3"} : std::vector<std::string>{steps, "B", "3"});
  if (f.lengths) m.input("lengths", {"B"}, onnx::TensorProto::INT32);
  fill(m.initializer("w", {directions, f.gates * kHidden, kInput}, onnx::TensorProto::FLOAT), 1);
  fill(m.initializer("r", {directions, f.gates * kHidden, kHidden}, onnx::TensorProto::FLOAT), 2);
  fill(m.initializer("b", {directions, 2 * f.gates * kHidden}, onnx::TensorProto::FLOAT), 3);
  std::vector<std::string> inputs{"x", "w", "r", "b", f.lengths ? "lengths" : ""}, outputs{"y", "last"};
  if (f.initial) {
    const std::string count = std::to_string(directions);
    m.input("h", f.batch_first ? std::vector<std::string>{"B", count, "2"} : std::vector<std::string>{count, "B", "2"});
    inputs.push_back("h");
  }
  if (f.states == 2) outputs.push_back("cell");
  for (const std::string& name : outputs) m.output(name);
  auto& node = m.node(f.op, inputs, outputs, "recurrence");
  set_attribute(node, "hidden_size", kHidden);
  set_attribute(node, "layout", f.batch_first);
  set_text(node, "direction", f.direction);
  return m;
}

std::vector<Value> inputs_of(const Form& f, int64_t steps, int64_t batch) {
  std::vector<float> x;
  for (int64_t i = 0; i < steps * batch * kInput; i++) x.push_back(std::cos(0.9f * float(i)));
  std::vector<Value> inputs{
      floats(f.batch_first ? std::vector{batch, steps, kInput} : std::vector{steps, batch, kInput}, x)};
  if (f.lengths) {
    std::vector<int32_t> lengths;
    for (int64_t b = 0; b < batch; b++) lengths.push_back(steps == 0 ? 0 : int32_t(1 + (b * 2) % steps));
    inputs.push_back(tensor(DType::i32, {batch}, lengths));
  }
  if (f.initial) {
    const int64_t directions = std::string(f.direction) == "bidirectional" ? 2 : 1;
    std::vector<float> h(size_t(directions * batch * kHidden), 0.25f);
    h[0] = -0.5f;
    inputs.push_back(
        floats(f.batch_first ? std::vector{batch, directions, kHidden} : std::vector{directions, batch, kHidden}, h));
  }
  return inputs;
}

void expect_close(const Value& a, const Value& b) {
  ASSERT_EQ(a.description(), b.description());
  const auto x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); i++) EXPECT_NEAR(x[i], y[i], 1e-6) << i;
}

TEST(Recurrences, StepsThatOnlyARunKnows) {
  for (const Form& f :
       {Form{"RNN", 1, 1, "forward", false, false, false}, Form{"GRU", 3, 1, "reverse", false, true, true},
        Form{"GRU", 3, 1, "bidirectional", true, false, false}, Form{"LSTM", 4, 2, "forward", true, true, false},
        Form{"LSTM", 4, 2, "bidirectional", false, true, true}}) {
    SCOPED_TRACE(std::string(f.op) + " " + f.direction);
    const Model free(recurrent_model(f, "T"));
    for (int64_t steps : {1, 5}) {
      const auto inputs = inputs_of(f, steps, 3);
      const auto expected = Model(recurrent_model(f, std::to_string(steps))).interpreted(inputs);
      for (const auto& actual : {free.interpreted(inputs), free.compiled(inputs, 2)}) {
        ASSERT_EQ(actual.size(), expected.size());
        for (size_t i = 0; i < actual.size(); i++) expect_close(actual[i], expected[i]);
      }
    }
  }
}

// Nothing is computed, and the last states are the first ones.
TEST(Recurrences, NoSteps) {
  for (const auto& [op, gates, states] : {std::tuple("RNN", 1, 1), std::tuple("GRU", 3, 1), std::tuple("LSTM", 4, 2)})
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
      const bool more = std::string(direction) != "reverse";  // lengths, initial states, and the batch first
      const Form f{op, gates, states, direction, more, more, more};
      SCOPED_TRACE(fmt::format("{} {}", op, direction));
      const auto inputs = inputs_of(f, 0, 2);
      const auto actual = Model(recurrent_model(f, "0")).run(inputs);
      EXPECT_EQ(actual[0].tensor()->elements(), 0);
      EXPECT_EQ(numbers(actual[1]), more ? numbers(inputs.back()) : std::vector<float>(numbers(actual[1]).size()));
    }
}

// More steps than are unrolled.
TEST(Recurrences, ManySteps) {
  const Form f{"LSTM", 4, 2, "forward", false, false, false};
  const auto inputs = inputs_of(f, 300, 2);
  const auto actual = Model(recurrent_model(f, "300")).compiled(inputs, 1);
  const auto expected = Model(recurrent_model(f, "T")).interpreted(inputs);
  for (size_t i = 0; i < actual.size(); i++) expect_close(actual[i], expected[i]);
}

}  // namespace
}  // namespace cppgen::modules
