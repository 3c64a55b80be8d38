// Results of lowerings, compiled and interpreted.
#include "tests/custom_ops/fixture.h"

namespace cppgen::custom_test {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// One operator, Op, of float32 inputs a, b ... and the output y.
std::string one(const std::string& inputs, const std::string& shape, const std::string& lowering,
                const std::string& attributes = "{}") {
  return R"json({"domain": "com.mycompany", "name": "Op", "attributes": )json" + attributes +
         R"json(, "inputs": [)json" + inputs + R"json(], "outputs": [{"name": "y", "type": "float32", "shape": )json" +
         shape + R"json(}], "lowering": )json" + lowering + "}";
}
const std::string kAnyX = R"json({"name": "x", "types": ["float32", "float16"]})json";

struct Unary : Custom {
  explicit Unary(const std::vector<std::string>& dims) {
    maker.input("x", dims).output("y");
    node("Op", {"x"}, {"y"});
  }
};

TEST(CustomLowering, ElementwiseWithAnAttribute) {
  Unary m({"N", "2"});
  const std::string text = one(kAnyX, R"json("x")json", R"json("y[i...] = x[i...] * sigmoid(beta * x[i...])")json",
                               R"json({"beta": {"type": "float", "default": 1.0}})json");
  const std::string ops = m.describe(text);
  expect_values(m.run(ops, {floats({1, 2}, {1, -2})})[0], {sigmoid(1), -2 * sigmoid(-2)});
  auto& beta = *m.maker.graph.mutable_node(0)->add_attribute();
  beta.set_name("beta"), beta.set_type(onnx::AttributeProto::FLOAT), beta.set_f(2);
  expect_values(m.run(ops, {floats({1, 2}, {1, -2})})[0], {sigmoid(2), -2 * sigmoid(-4)});
}

TEST(CustomLowering, FusesWithItsNeighbours) {
  Custom m;
  m.maker.input("x", {"N"}).output("z");
  ModelMaker::add_node(m.maker.graph, "Neg", {"x"}, {"n"});
  m.node("Op", {"n"}, {"y"});
  ModelMaker::add_node(m.maker.graph, "Exp", {"y"}, {"z"});
  const std::string ops = m.describe(one(kAnyX, R"json("x")json", R"json("y[i...] = x[i...] + 1")json"));
  expect_values(m.run(ops, {floats({2}, {1, 2})})[0], {1, std::exp(-1.0f)});
  const CompiledModel model = compile_model(m.request(ops));
  EXPECT_EQ(rt::Executable::load(model.package)->plan().steps.size(), 1u);
}

struct Binary : Custom {
  Binary(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    maker.input("a", a).input("b", b).output("y");
    node("Op", {"a", "b"}, {"y"});
  }
};
const std::string kAnyAB = R"json({"name": "a", "type": "float32"}, {"name": "b", "type": "a"})json";

TEST(CustomLowering, Broadcasts) {
  Binary m({"2", "1"}, {"3"});
  const std::string ops =
      m.describe(one(kAnyAB, R"json("broadcast(a, b)")json", R"json("y[i...] = a[i...] - b[i...]")json"));
  const auto y = m.run(ops, {floats({2, 1}, {10, 20}), floats({3}, {1, 2, 3})})[0];
  EXPECT_EQ(y.tensor()->dims(), (std::vector<int64_t>{2, 3}));
  expect_values(y, {9, 8, 7, 19, 18, 17});
}

const std::string kProduct = R"json({"name": "a", "type": "float32", "shape": ["batch...", "N", "K"]},
                                {"name": "b", "type": "float32", "shape": ["batch...", "K", "C"]})json";

TEST(CustomLowering, ContractionIsOneForTheEngines) {
  Binary m({"2", "N", "3"}, {"3", "C"});
  const std::string ops = m.describe(one(kProduct, R"json(["batch...", "N", "C"])json",
                                         R"json("y[g..., n, c] = sum(k : K) a[g..., n, k] * b[g..., k, c]")json"));
  const auto a = floats({2, 1, 3}, {1, 2, 3, 4, 5, 6}), b = floats({3, 2}, {1, 0, 0, 1, 1, 1});
  expect_values(m.run(ops, {a, b})[0], {4, 5, 10, 11});
  std::string rules;
  for (const auto& e : explain_model(m.request(ops)).decisions.entries) rules += e.rule + " ";
  EXPECT_NE(rules.find("engine"), std::string::npos) << rules;
}

TEST(CustomLowering, ReductionsWithinExpressions) {
  Unary m({"N", "3"});
  const std::string ops =
      m.describe(one(R"json({"name": "x", "type": "float32", "shape": ["N", "C"]})json", R"json("x")json",
                     R"json(["top[n : N] = max(k : C) x[n, k]",
          "y[n, c] = exp(x[n, c] - top[n]) / sum(k : C) exp(x[n, k] - top[n])"])json"));
  const float s = 1 + std::exp(-1.0f) + std::exp(-2.0f);
  expect_values(m.run(ops, {floats({1, 3}, {1, 2, 3})})[0], {std::exp(-2.0f) / s, std::exp(-1.0f) / s, 1 / s});
}

TEST(CustomLowering, ReducesAGroup) {
  Unary m({"2", "N"});
  const std::string ops = m.describe(one(kAnyX, "[]", R"json("y = sum(i... : x) x[i...] * 2")json"));
  expect_values(m.run(ops, {floats({2, 2}, {1, 2, 3, 4})})[0], {20});
}

TEST(CustomLowering, IndicesAndShapesAreExpressions) {
  Unary m({"N"});
  const std::string doubled =
      m.describe(one(kAnyX, R"json(["x.0 * 2"])json", R"json("y[n] = x[n // 2] + cast(n % 2, float32)")json"));
  const auto y = m.run(doubled, {floats({2}, {10, 20})})[0];
  EXPECT_EQ(y.tensor()->dims(), (std::vector<int64_t>{4}));
  expect_values(y, {10, 11, 20, 21});
  const std::string shifted =
      m.describe(one(kAnyX, R"json("x")json", R"json("y[n] = inside(x[n - 1], -1) + inside(x[n + 1], -1)")json"));
  expect_values(m.run(shifted, {floats({3}, {1, 2, 3})})[0], {1, 4, 1});
}

TEST(CustomLowering, OperationsOnConstantsAreConstants) {
  Unary m({"3"});
  const std::string ops =
      m.describe(one(kAnyX, R"json("x")json",
                     R"json("y[n] = x[max(n, 7 % 2) - min(1, n)] * cos(0) + tanh(0.5) + pow(3, 2) // 2")json"));
  const float rest = std::tanh(0.5f) + 4;
  expect_values(m.run(ops, {floats({3}, {1, 2, 3})})[0], {2 + rest, 1 + rest, 2 + rest});
}

TEST(CustomLowering, ValuesAreIndices) {
  Custom m;
  m.maker.input("table", {"N", "2"}).input("ids", {"M"}, onnx::TensorProto::INT64).output("y");
  m.node("Op", {"table", "ids"}, {"y"});
  const std::string ops = m.describe(one(R"json({"name": "t", "type": "float32", "shape": ["R", "C"]},
                                            {"name": "ids", "types": ["int64", "int32"], "shape": ["M"]})json",
                                         R"json(["M", "C"])json", R"json("y[m, c] = t[ids[m], c]")json"));
  expect_values(m.run(ops, {floats({2, 2}, {1, 2, 3, 4}), ints({3}, {1, 0, -1})})[0], {3, 4, 1, 2, 3, 4});
  EXPECT_THROW(m.interpreted(ops, {floats({2, 2}, {1, 2, 3, 4}), ints({1}, {2})}), UserError);
}

TEST(CustomLowering, ChoosesByConditionsAndTexts) {
  Unary m({"3"});
  const std::string attributes = R"json({"mode": {"type": "string", "default": "cut", "allowed": ["cut", "keep"]},
                                     "bounds": {"type": "floats", "default": [-1.5, 2]}})json";
  const std::string lowering = R"json(["cut[n : 3] = max(min(x[n], bounds[1]), bounds[0])",
                                   "y[n] = where(mode == 'cut', cut[n], where(x[n] > 0 and not (x[n] == 3), x[n], 0))"])json";
  const std::string ops = m.describe(one(kAnyX, R"json("x")json", lowering, attributes));
  expect_values(m.run(ops, {floats({3}, {-3, 1, 3})})[0], {-1.5, 1, 2});
  modules::set_attribute(*m.maker.graph.mutable_node(0), "mode", std::string("keep"));
  expect_values(m.run(ops, {floats({3}, {-3, 1, 3})})[0], {0, 1, 0});
}

TEST(CustomLowering, SeveralOutputsOfWhichOneIsLeftOut) {
  Custom m;
  m.maker.input("x", {"N", "2"}).output("mean").output("far");
  m.node("Stats", {"x"}, {"mean", "far"});
  const std::string ops = m.describe(R"json({
    "domain": "com.mycompany", "name": "Stats",
    "inputs": [{"name": "x", "type": "float32", "shape": ["N", "C"]}],
    "outputs": [{"name": "mean", "type": "x", "shape": ["N"]}, {"name": "far", "type": "bool", "shape": "x"}],
    "lowering": ["mean[n] = sum(c : C) x[n, c] / cast(C, float32)", "far[n, c] = abs(x[n, c] - mean[n]) > 1"]
})json");
  const auto both = m.interpreted(ops, {floats({2, 2}, {0, 4, 1, 2})});
  expect_values(both[0], {2, 1.5});
  const auto* far = both[1].tensor()->as<uint8_t>();
  EXPECT_EQ((std::vector<int>{far[0], far[1], far[2], far[3]}), (std::vector<int>{1, 1, 0, 0}));
  modules::Model::expect_same(m.compiled(ops, {floats({2, 2}, {0, 4, 1, 2})})[1], both[1]);
  m.maker.graph.mutable_output()->DeleteSubrange(0, 1);
  m.maker.graph.mutable_node(0)->set_output(0, "");
  modules::Model::expect_same(m.compiled(ops, {floats({2, 2}, {0, 4, 1, 2})})[0], both[1]);
}

TEST(CustomLowering, OfHalfPrecisionAndOfAnyRank) {
  Custom m;
  m.maker.input("x", {"2"}, onnx::TensorProto::FLOAT16).output("z");
  m.node("Op", {"x"}, {"y"});
  auto& cast = ModelMaker::add_node(m.maker.graph, "Cast", {"y"}, {"z"});
  modules::set_attribute(cast, "to", int64_t{1});
  const std::string ops = m.describe(R"json({"operators": [{
    "domain": "com.mycompany", "name": "Op", "inputs": [)json" +
                                     kAnyX + R"json(],
    "outputs": [{"name": "y", "type": "x", "shape": "x"}], "lowering": "y[i...] = x[i...] * 0.5"}]})json");
  expect_values(m.run(ops, {modules::tensor<uint16_t>(DType::f16, {2}, {0x3c00, 0x4000})})[0], {0.5, 1});
}

TEST(CustomLowering, TheVersionOfTheModelChoosesTheDescription) {
  Unary m({"1"});
  const auto version = [&](int since, const std::string& lowering) {
    std::string text = one(kAnyX, R"json("x")json", lowering);
    return text.insert(1, "\"since_version\": " + std::to_string(since) + ", ");
  };
  const std::string ops = m.describe("[" + version(1, R"json("y[i...] = x[i...] + 1")json") + ", " +
                                     version(3, R"json("y[i...] = x[i...] + 3")json") + "]");
  expect_values(m.run(ops, {floats({1}, {0})})[0], {1});
  m.maker.model.mutable_opset_import(1)->set_version(4);
  expect_values(m.run(ops, {floats({1}, {0})})[0], {3});
}

}  // namespace
}  // namespace cppgen::custom_test
