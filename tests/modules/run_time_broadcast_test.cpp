// Operands with a dimension that only a run knows to be 1 broadcast as they do where it is declared, and others are
// refused by the node's name.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;

constexpr int kInt64 = onnx::TensorProto::INT64;

bool both_ways(int64_t a, int64_t b) { return a == b || a == 1 || b == 1; }
bool to_first(int64_t a, int64_t b) { return b == a || b == 1; }

// An operator of p [A, ...] and q [B, ...], and whether it fits in a run.
struct Broadcasting {
  std::string op;
  std::vector<std::string> inputs{"p", "q"};
  bool (*fits)(int64_t a, int64_t b) = both_ways;
  int opset = 17;
  std::string domain{};
};

const Broadcasting kOperators[] = {
    {"Expand", {"p", "shape"}},
    {"Add"},
    {"Where", {"c", "p", "q"}},
    {"Max", {"p", "q", "p"}},
    {"MatMul"},
    {"MatMulInteger", {"pb", "qb"}},
    {"PRelu", {"p", "q"}, to_first},
    {"LayerNormalization", {"p", "q"}, to_first},
    {"Gemm", {"p2", "two", "q2"}, to_first},
    {"QLinearAdd", {"pb", "one", "zero", "qb", "one", "zero", "one", "zero"}, both_ways, 17, "com.microsoft"}};

void add_ints(ModelMaker& m, const std::string& name, const Ints& values) {
  auto& t = m.initializer(name, {int64_t(values.size())}, kInt64);
  for (int64_t v : values) t.add_int64_data(v);
}

// p and q are the first rows of x and y, as many as inputs a and b say; or x and y, of so many rows.
ModelMaker model_of(const Broadcasting& o, bool cut, int64_t a, int64_t b) {
  ModelMaker m(o.opset);
  if (!o.domain.empty()) {
    auto& more = *m.model.add_opset_import();
    more.set_domain(o.domain), more.set_version(1);
  }
  m.input("x", {cut ? "4" : std::to_string(a), "2", "2"}).input("y", {cut ? "4" : std::to_string(b), "2", "2"});
  m.output("z").output("after");
  add_ints(m, "start", {0});
  if (cut) {
    m.input("a", {"1"}, kInt64).input("b", {"1"}, kInt64);
    m.node("Slice", {"x", "start", "a", "start"}, {"p"}), m.node("Slice", {"y", "start", "b", "start"}, {"q"});
  } else {
    m.node("Relu", {"x"}, {"p"}), m.node("Relu", {"y"}, {"q"});
  }
  m.node("Shape", {"q"}, {"shape"});
  m.initializer("half", {}, onnx::TensorProto::FLOAT).add_float_data(4);
  m.node("Less", {"p", "half"}, {"c"});
  set_attribute(m.node("Cast", {"p"}, {"pb"}), "to", int64_t(onnx::TensorProto::UINT8));
  set_attribute(m.node("Cast", {"q"}, {"qb"}), "to", int64_t(onnx::TensorProto::UINT8));
  m.initializer("one", {}, onnx::TensorProto::FLOAT).add_float_data(1);
  m.initializer("zero", {}, onnx::TensorProto::UINT8).add_int32_data(0);
  auto& two = m.initializer("two", {2, 2}, onnx::TensorProto::FLOAT);
  for (float v : {1.f, 2.f, 3.f, 4.f}) two.add_float_data(v);
  m.initializer("at", {}, kInt64).add_int64_data(1);
  for (const std::string t : {"p", "q"}) set_attribute(m.node("Gather", {t, "at"}, {t + "2"}), "axis", 1);
  m.node(o.op, o.inputs, {"z"}, "met").set_domain(o.domain);
  m.node("Shape", {"z"}, {"after"});
  return m;
}

std::vector<float> counted(int64_t rows) {
  std::vector<float> values(size_t(rows * 4));
  for (size_t i = 0; i < values.size(); i++) values[i] = float(i % 9) + 1;
  return values;
}

class RunTimeBroadcast : public testing::TestWithParam<Broadcasting> {};

TEST_P(RunTimeBroadcast, IsThatOfDeclaredDimensions) {
  const Broadcasting& o = GetParam();
  const Model model(model_of(o, true, 0, 0));
  for (int64_t a : {0, 1, 3})
    for (int64_t b : {0, 1, 3}) {
      SCOPED_TRACE(fmt::format("{} of {} and {} rows", o.op, a, b));
      const std::vector<Value> inputs{floats({4, 2, 2}, counted(4)), floats({4, 2, 2}, counted(4)), ints({1}, {a}),
                                      ints({1}, {b})};
      if (!o.fits(a, b)) {
        EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("met"), std::string::npos);
        EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("met"), std::string::npos);
        continue;
      }
      const auto expected =
          Model(model_of(o, false, a, b)).interpreted({floats({a, 2, 2}, counted(a)), floats({b, 2, 2}, counted(b))});
      const auto actual = model.run(inputs);
      for (size_t i = 0; i < 2; i++) Model::expect_same(actual[i], expected[i]);
    }
}

INSTANTIATE_TEST_SUITE_P(Operators, RunTimeBroadcast, testing::ValuesIn(kOperators),
                         [](const auto& info) { return info.param.op; });

// One length is a number: the result has it, if the other one fits.
TEST(RunTimeBroadcast, OfANumberOfRows) {
  for (const std::string op : {"Expand", "MatMul"})
    for (int64_t to : {0, 1, 3}) {
      ModelMaker m;
      m.input("x", {"4", "2", "2"}).input("a", {"1"}, kInt64).output("z");
      add_ints(m, "start", {0}), add_ints(m, "shape", {to, 2, 2});
      auto& rows = m.initializer("rows", {to, 2, 2}, onnx::TensorProto::FLOAT);
      for (float v : counted(to)) rows.add_float_data(v);
      m.node("Slice", {"x", "start", "a", "start"}, {"p"});
      m.node(op, {"p", op == "Expand" ? "shape" : "rows"}, {"z"}, "met");
      const Model model(m);
      for (int64_t a : {0, 1, 3}) {
        SCOPED_TRACE(fmt::format("{} of {} rows to {}", op, a, to));
        const std::vector<Value> inputs{floats({4, 2, 2}, counted(4)), ints({1}, {a})};
        if (a != to && a != 1 && to != 1) {
          EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("met"), std::string::npos);
          EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("met"), std::string::npos);
          continue;
        }
        EXPECT_EQ(model.run(inputs)[0].tensor()->dims(), (Ints{a == 1 ? to : a, 2, 2}));
      }
    }
}

// The last row, repeated as often as an even number of rows needs: both lengths are at most 1, whatever N is.
TEST(RunTimeBroadcast, LastRowsAreRepeatedForEveryLength) {
  ModelMaker m;
  m.input("x", {"N", "4"}).output("y");
  add_ints(m, "last", {-1}), add_ints(m, "end", {int64_t(1) << 62}), add_ints(m, "start", {0}), add_ints(m, "two", {2});
  add_ints(m, "pairs", {-1, 2, 4}), add_ints(m, "four", {4});
  set_attribute(m.node("Shape", {"x"}, {"n"}), "end", 1);
  m.node("Neg", {"n"}, {"negative"}), m.node("Mod", {"negative", "two"}, {"missing"});
  set_attribute(m.node("Concat", {"missing", "four"}, {"to"}), "axis", 0);
  m.node("Slice", {"x", "last", "end", "start"}, {"row"});
  m.node("Expand", {"row", "to"}, {"rows"});
  set_attribute(m.node("Concat", {"x", "rows"}, {"even"}), "axis", 0);
  m.node("Reshape", {"even", "pairs"}, {"y"});
  const Model model(m);
  EXPECT_FALSE(model.has_host_steps());
  for (int64_t n : {0, 1, 2, 3}) {
    std::vector<float> x(size_t(4 * n));
    for (size_t i = 0; i < x.size(); i++) x[i] = float(i);
    std::vector<float> expected = x;
    if (n % 2) expected.insert(expected.end(), x.end() - 4, x.end());
    const auto y = model.run({floats({n, 4}, x)})[0];
    EXPECT_EQ(y.tensor()->dims(), (Ints{(n + 1) / 2, 2, 4}));
    EXPECT_EQ(numbers(y), expected);
  }
}

// One timestep for all images, or one for each: also where there are no images.
TEST(RunTimeBroadcast, AVectorOfNamedLengthIsOneOrAll) {
  ModelMaker m;
  m.input("x", {"N"}).input("images", {"B", "2"}).output("y");
  add_ints(m, "start", {0}), add_ints(m, "end", {1});
  m.node("Shape", {"images"}, {"shape"}), m.node("Slice", {"shape", "start", "end"}, {"batch"});
  m.node("Expand", {"x", "batch"}, {"y"}, "met");
  const Model model(m);
  for (int64_t n : {0, 1, 3})
    for (int64_t b : {0, 1, 3}) {
      SCOPED_TRACE(fmt::format("{} of {}", n, b));
      const std::vector<Value> inputs{floats({n}, std::vector<float>(size_t(n), 2)),
                                      floats({b, 2}, std::vector<float>(size_t(2 * b)))};
      if (n == 1 || n == b) {
        EXPECT_EQ(model.run(inputs)[0].tensor()->dims(), Ints{b});
      } else {
        EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }), "");
        EXPECT_NE(error_of([&] { model.interpreted(inputs); }), "");
      }
    }
}

// A declared length, or one that leaves nothing open, does not take the check's place.
TEST(RunTimeBroadcast, ArgumentsOfARunAreCheckedWhereTheShapeLooksUnchanged) {
  for (const std::string op : {"Expand", "Reshape", "Tile"}) {
    ModelMaker m;
    m.input("x", {"2", "3"}).input("to", {"2"}, kInt64).output("y");
    m.node(op, {"x", "to"}, {"y"}, "met");
    for (const char* d : {"2", "3"})
      m.graph.mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(
          std::stoll(d));
    m.graph.mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    const Model model(m);
    const Value x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(numbers(model.run({x, op == "Tile" ? ints({2}, {1, 1}) : ints({2}, {2, 3})})[0]), numbers(x)) << op;
    const std::vector<Value> other{x, ints({2}, {3, 2})};
    EXPECT_NE(error_of([&] { model.compiled(other, 1); }).find("met"), std::string::npos) << op;
    EXPECT_NE(error_of([&] { model.interpreted(other); }).find("met"), std::string::npos) << op;
  }
}

}  // namespace
}  // namespace cppgen::modules
