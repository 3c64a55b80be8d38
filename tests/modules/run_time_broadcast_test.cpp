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
  std::string domain{}, equation{};
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
    {"Einsum", {"p", "q"}, both_ways, 17, "", "aij,ajk->aik"},
    {"Einsum", {"p", "q"}, both_ways, 17, "", "aij,aik->jk"},
    {"Einsum", {"p", "q"}, both_ways, 17, "", "aij,a...->..."},
    {"Einsum", {"p", "q", "p"}, both_ways, 17, "", "aij,akl,ajk->al"},
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
  auto& node = m.node(o.op, o.inputs, {"z"}, "met");
  node.set_domain(o.domain);
  if (!o.equation.empty()) set_attribute(node, "equation", o.equation);
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
                         [](const auto& info) { return fmt::format("{}_{}", info.index, info.param.op); });

// One rate for all heads, or one for each.
TEST(RunTimeBroadcast, RatesOfALinearAttention) {
  const auto model_with = [](int64_t rates) {
    ModelMaker m(27);
    for (const std::string name : {"query", "key", "value"}) m.input(name, {"1", "2", "4"});
    m.input("rates", {"1", "2", rates ? std::to_string(rates) : "3"}).output("y");
    if (!rates) {
      m.input("count", {"1"}, kInt64);
      add_ints(m, "start", {0}), add_ints(m, "axis", {2});
      m.node("Slice", {"rates", "start", "count", "axis"}, {"beta"});
    }
    auto& node = m.node("LinearAttention", {"query", "key", "value", "", "", rates ? "rates" : "beta"}, {"y"}, "met");
    set_attribute(node, "update_rule", "delta");
    set_attribute(node, "q_num_heads", 2), set_attribute(node, "kv_num_heads", 2);
    return m;
  };
  const auto x = [](int first) {
    std::vector<float> values(8);
    for (int i = 0; i < 8; i++) values[size_t(i)] = float((first + 3 * i) % 7) / 8;
    return floats({1, 2, 4}, values);
  };
  Model free(model_with(0));
  free.rounding_otherwise();
  for (const int64_t rates : {1, 2}) {
    std::vector<float> part;
    for (int64_t i = 0; i < 2 * rates; i++) part.push_back(float(3 * (i / rates) + i % rates) / 8);
    const std::vector<float> all{0, 1.f / 8, 2.f / 8, 3.f / 8, 4.f / 8, 5.f / 8};
    const auto expected = Model(model_with(rates)).interpreted({x(0), x(1), x(2), floats({1, 2, rates}, part)});
    Model::expect_near(free.run({x(0), x(1), x(2), floats({1, 2, 3}, all), ints({1}, {rates})})[0], expected[0]);
  }
  const std::vector<Value> three{x(0), x(1), x(2), floats({1, 2, 3}, std::vector<float>(6)), ints({1}, {3})};
  EXPECT_NE(error_of([&] { free.compiled(three, 1); }).find("met"), std::string::npos);
}

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

// One length has a name, and a run computes the other one, or the shape to which the first operand expands.
TEST(RunTimeBroadcast, OfANamedNumberOfRows) {
  for (const std::string op : {"Expand", "ExpandTo", "Add", "Where", "Einsum"}) {
    ModelMaker m;
    m.input("x", {"N", "2"}).input("y", {"4", "2"}).input("b", {"1"}, kInt64).output("z").output("after");
    add_ints(m, "start", {0}), add_ints(m, "two", {2});
    m.node("Slice", {"y", "start", "b", "start"}, {"q"}), m.node("Shape", {"q"}, {"shape"});
    set_attribute(m.node("Concat", {"b", "two"}, {"to"}), "axis", 0);
    m.node("Less", {"x", "x"}, {"less"});
    const std::vector<std::string> operands = op == "Expand"     ? std::vector<std::string>{"x", "shape"}
                                              : op == "ExpandTo" ? std::vector<std::string>{"x", "to"}
                                              : op == "Where"    ? std::vector<std::string>{"less", "x", "q"}
                                                                 : std::vector<std::string>{"x", "q"};
    auto& node = m.node(op == "ExpandTo" ? "Expand" : op, operands, {"z"}, "met");
    if (op == "Einsum") set_attribute(node, "equation", "ij,ik->ijk");
    m.node("Shape", {"z"}, {"after"});
    const Model model(m);
    for (const int64_t n : {0, 1, 3})
      for (const int64_t b : {0, 1, 3}) {
        SCOPED_TRACE(fmt::format("{} of {} rows with {}", op, n, b));
        std::vector<float> x(size_t(2 * n));
        for (size_t i = 0; i < x.size(); i++) x[i] = float(i) + 1;
        const std::vector<Value> inputs{floats({n, 2}, x), floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), ints({1}, {b})};
        if (!both_ways(n, b)) {
          EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("met"), std::string::npos);
          EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("met"), std::string::npos);
          continue;
        }
        const int64_t rows = n == 1 ? b : n;
        const auto z = model.run(inputs)[0];
        EXPECT_EQ(z.tensor()->dims(), op == "Einsum" ? (Ints{rows, 2, 2}) : (Ints{rows, 2}));
        if (!op.starts_with("Expand")) continue;
        for (int64_t r = 0; r < rows; r++)
          for (int64_t k = 0; k < 2; k++) EXPECT_EQ(numbers(z)[size_t(2 * r + k)], x[size_t(n == 1 ? k : 2 * r + k)]);
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
  // One image for several timesteps, which a model for one image repeats.
  const std::vector<Value> several{floats({3}, {1, 2, 3}), floats({1, 2}, {0, 0})};
  EXPECT_NE(error_of([&] { model.compiled(several, 1); }).find("For B = 1, compile the model with this size"),
            std::string::npos);
  m.graph.mutable_input(1)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(1);
  EXPECT_EQ(numbers(Model(m).run(several)[0]), (std::vector<float>{1, 2, 3}));
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
