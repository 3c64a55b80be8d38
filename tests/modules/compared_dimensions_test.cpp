// Operands whose dimensions only a run can compare: computed where they are equal, refused by the node's name where
// not.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int kBool = onnx::TensorProto::BOOL;

// States how the chosen rows p = x[a] and q = x[b] of x [4, 2] meet.
struct Meeting {
  std::string name;
  std::vector<std::string>
      inputs;  // of p and q; pt transposed; pi and qi as images; pb and qb as batches of rows; s is q
  std::string op;
  std::vector<std::pair<std::string, int64_t>> attributes{};
  std::string equation{};
};

void PrintTo(const Meeting& m, std::ostream* out) { *out << m.name; }

const Meeting kMeetings[] = {
    {"MatMul", {"pt", "q"}, "MatMul"},       {"Gemm", {"p", "q"}, "Gemm", {{"transA", 1}}},
    {"GemmBias", {"p", "two", "q"}, "Gemm"}, {"Concat", {"p", "q"}, "Concat", {{"axis", 1}}},
    {"Conv", {"pi", "qi"}, "Conv"},          {"Einsum", {"p", "q"}, "Einsum", {}, "ij,ik->jk"},
    {"Where", {"less", "p", "q"}, "Where"},  {"Mul", {"p", "q"}, "Mul"},
    {"Batches", {"pb", "qb"}, "MatMul"},     {"Element", {"pt", "s"}, "MatMul"},
};

ModelMaker model_of(const Meeting& m) {
  ModelMaker maker(13);
  maker.input("x", {"4", "2"}).input("a", {"4"}, kBool).input("b", {"4"}, kBool).output("y");
  auto axis = [](onnx::NodeProto& node, int64_t value) { set_attribute(node, "axis", value); };
  axis(maker.node("Compress", {"x", "a"}, {"p"}), 0), axis(maker.node("Compress", {"x", "b"}, {"q"}), 0);
  maker.node("Transpose", {"p"}, {"pt"});
  maker.initializer("front", {1}, onnx::TensorProto::INT64).add_int64_data(0);
  maker.initializer("middle", {1}, onnx::TensorProto::INT64).add_int64_data(1);
  maker.node("Unsqueeze", {"p", "front"}, {"pi"}), maker.node("Unsqueeze", {"q", "front"}, {"qi"});
  maker.node("Unsqueeze", {"p", "middle"}, {"pb"});
  set_attribute(maker.node("Transpose", {"qi"}, {"qb"}), "perm", std::vector<int64_t>{1, 2, 0});
  auto& two = maker.initializer("two", {2, 2}, onnx::TensorProto::FLOAT);
  for (float v : {1.f, 2.f, 3.f, 4.f}) two.add_float_data(v);
  maker.initializer("last", {}, onnx::TensorProto::INT64).add_int64_data(-1);
  maker.node("SequenceConstruct", {"p", "q"}, {"list"}), maker.node("SequenceAt", {"list", "last"}, {"s"});
  maker.initializer("four", {}, onnx::TensorProto::FLOAT).add_float_data(4);
  maker.node("Less", {"p", "four"}, {"less"});
  auto& node = maker.node(m.op, m.inputs, {"y"}, "met");
  for (const auto& [name, value] : m.attributes) set_attribute(node, name, value);
  if (!m.equation.empty()) set_attribute(node, "equation", m.equation);
  return maker;
}

Value mask(const std::vector<uint8_t>& v) { return tensor(DType::boolean, {int64_t(v.size())}, v); }

class ComparedDimensions : public testing::TestWithParam<Meeting> {};

TEST_P(ComparedDimensions, EqualOnesAreComputed) {
  const Model model(model_of(GetParam()));
  const Value x = floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  model.run({x, mask({1, 0, 1, 0}), mask({0, 1, 0, 1})});
  model.run({x, mask({1, 1, 1, 0}), mask({0, 1, 1, 1})});
  model.run({x, mask({0, 0, 0, 0}), mask({0, 0, 0, 0})});
}

TEST_P(ComparedDimensions, OthersAreRefusedByName) {
  const Model model(model_of(GetParam()));
  const std::vector<Value> inputs{floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), mask({1, 0, 1, 0}), mask({1, 1, 0, 1})};
  EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("met"), std::string::npos);
  EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("met"), std::string::npos);
}

// An image with as many channels as the weights say, once they were compared: its depth is known.
TEST(DimensionsFoundEqual, AreKnownToLaterPlans) {
  ModelMaker maker(13);
  maker.input("x", {"1", "8", "h", "w"}).input("pads", {"8"}, onnx::TensorProto::INT64).output("y");
  auto& weights = maker.initializer("weights", {16, 8, 3, 3}, onnx::TensorProto::FLOAT);
  for (int i = 0; i < 16 * 8 * 9; i++) weights.add_float_data(0.25f * float(i % 7 - 3));
  maker.node("Pad", {"x", "pads"}, {"p"}, "pad");
  maker.node("Conv", {"p", "weights"}, {"y"}, "conv");
  const Model model(maker);
  // Its channels are moved to the end, and it runs on tiles.
  EXPECT_NE(model.decisions().find("engine yes conv (conv) on cppgen"), std::string::npos) << model.decisions();
  std::vector<float> image(8 * 3 * 4);
  for (size_t i = 0; i < image.size(); i++) image[i] = float(i % 5);
  model.run({floats({1, 8, 3, 4}, image), ints({8}, {0, 0, 1, 0, 0, 0, 0, 2})});
  EXPECT_NE(error_of([&] {
              model.compiled({floats({1, 8, 3, 4}, image), ints({8}, {0, 1, 1, 0, 0, 0, 0, 2})}, 1);
            }).find("conv"),
            std::string::npos);
}

// Readers of tensors of a few possible ranks run in branches, one for each: tests/idioms/ranks.py.
TEST(ManyPossibleRanks, AreRefusedByName) {
  ModelMaker maker(13);
  maker.input("x", {"2", "2"}).output("z");
  std::vector<std::string> dims{"2", "2"}, list{"x"};
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    dims.insert(dims.begin(), "1");
    maker.input(name, dims), list.push_back(name);
  }
  maker.initializer("last", {}, onnx::TensorProto::INT64).add_int64_data(-1);
  maker.node("SequenceConstruct", list, {"list"}), maker.node("SequenceAt", {"list", "last"}, {"s"});
  maker.node("MatMul", {"s", "x"}, {"z"}, "met");
  const Model model(maker);
  const std::string message = error_of([&] { model.compiled({}, 1); });
  EXPECT_NE(message.find("met"), std::string::npos) << message;
  EXPECT_NE(message.find("rank"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Operators, ComparedDimensions, testing::ValuesIn(kMeetings),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace cppgen::modules
