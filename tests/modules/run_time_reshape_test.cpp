// Reshapes by shapes that hold zeros only in some runs: a 0 copies the input's dimension, as in a constant shape.
#include <numeric>
#include <optional>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Ints = std::vector<int64_t>;

constexpr int kInt64 = onnx::TensorProto::INT64;

struct Trial {
  Ints x;                     // its dimensions
  std::vector<Ints> more;     // the values of the other inputs, vectors of integers
  std::optional<Ints> gives;  // the shape of the result; none: the run is refused
};

// A model whose node "reshape" makes y of x, and runs of it.
struct Form {
  std::string name;
  void (*add)(ModelMaker&);
  std::vector<Trial> runs;
};

void PrintTo(const Form& f, std::ostream* out) { *out << f.name; }

void list(ModelMaker& m, const std::string& name, const Ints& values) {
  auto& t = m.initializer(name, {int64_t(values.size())}, kInt64);
  for (const int64_t v : values) t.add_int64_data(v);
}

void concat(ModelMaker& m, const std::vector<std::string>& parts) {
  set_attribute(m.node("Concat", parts, {"to"}), "axis", 0);
}

void rows_of(ModelMaker& m, const std::string& x) { set_attribute(m.node("Shape", {x}, {"rows"}), "end", 1); }

onnx::NodeProto& reshape(ModelMaker& m, const std::string& x = "x") {
  return m.node("Reshape", {x, "to"}, {"y"}, "reshape");
}

const Form kForms[] = {
    {"FewerRows",
     [](ModelMaker& m) {
       m.input("x", {"N", "3"});
       list(m, "two", {2}), list(m, "three", {3});
       rows_of(m, "x"), m.node("Sub", {"rows", "two"}, {"fewer"}), concat(m, {"fewer", "three"});
       reshape(m);
     },
     {{{2, 3}, {}, Ints{2, 3}}, {{3, 3}, {}, {}}, {{1, 3}, {}, Ints{1, 3}}, {{0, 3}, {}, {}}}},
    {"Remainder",
     [](ModelMaker& m) {
       m.input("x", {"N", "3"});
       list(m, "two", {2}), list(m, "three", {3});
       rows_of(m, "x"), m.node("Mod", {"rows", "two"}, {"odd"}), concat(m, {"odd", "three"});
       reshape(m);
     },
     {{{2, 3}, {}, Ints{2, 3}}, {{1, 3}, {}, Ints{1, 3}}, {{0, 3}, {}, Ints{0, 3}}, {{3, 3}, {}, {}}}},
    {"OneArgument",
     [](ModelMaker& m) {
       m.input("x", {"N", "3"}).input("k", {"1"}, kInt64);
       list(m, "three", {3});
       concat(m, {"k", "three"}), reshape(m);
     },
     {{{2, 3}, {{0}}, Ints{2, 3}},
      {{2, 3}, {{2}}, Ints{2, 3}},
      {{2, 3}, {{1}}, {}},
      {{2, 3}, {{-1}}, Ints{2, 3}},
      {{0, 3}, {{0}}, Ints{0, 3}},
      {{0, 3}, {{5}}, {}}}},
    {"AllArguments",
     [](ModelMaker& m) {
       m.input("x", {"N", "M"}).input("to", {"2"}, kInt64), reshape(m);
     },
     {{{2, 6}, {{0, 0}}, Ints{2, 6}},
      {{2, 6}, {{4, 3}}, Ints{4, 3}},
      {{2, 6}, {{0, -1}}, Ints{2, 6}},
      {{2, 6}, {{-1, 0}}, Ints{2, 6}},
      {{2, 6}, {{3, 0}}, {}},
      {{2, 6}, {{0, 3}}, {}},
      {{0, 6}, {{0, 2}}, Ints{0, 2}},
      {{0, 6}, {{0, -1}}, Ints{0, 6}},
      {{0, 6}, {{3, -1}}, Ints{3, 0}}}},
    {"MoreDimensions",
     [](ModelMaker& m) { m.input("x", {"N"}).input("to", {"2"}, kInt64), reshape(m); },
     {{{4}, {{0, 1}}, Ints{4, 1}}, {{4}, {{4, 0}}, {}}, {{4}, {{0, -1}}, Ints{4, 1}}}},
    {"RowsOfAnother",
     [](ModelMaker& m) {
       m.input("x", {"4", "3"}).input("k", {"1"}, kInt64).input("l", {"1"}, kInt64);
       list(m, "start", {0}), list(m, "three", {3});
       m.node("Slice", {"x", "start", "k", "start"}, {"p"}), m.node("Slice", {"x", "start", "l", "start"}, {"q"});
       rows_of(m, "q"), concat(m, {"rows", "three"}), reshape(m, "p");
     },
     {{{4, 3}, {{2}, {2}}, Ints{2, 3}},
      {{4, 3}, {{2}, {0}}, Ints{2, 3}},
      {{4, 3}, {{0}, {0}}, Ints{0, 3}},
      {{4, 3}, {{0}, {2}}, {}},
      {{4, 3}, {{3}, {2}}, {}}}},
    {"RowsOfAnotherAndTheRest",
     [](ModelMaker& m) {
       m.input("x", {"4", "6"}).input("k", {"1"}, kInt64).input("l", {"1"}, kInt64);
       list(m, "start", {0}), list(m, "rest", {-1});
       m.node("Slice", {"x", "start", "k", "start"}, {"p"}), m.node("Slice", {"x", "start", "l", "start"}, {"q"});
       rows_of(m, "q"), concat(m, {"rows", "rest"}), reshape(m, "p");
     },
     {{{4, 6}, {{2}, {4}}, Ints{4, 3}},
      {{4, 6}, {{2}, {0}}, Ints{2, 6}},
      {{4, 6}, {{0}, {0}}, Ints{0, 6}},
      {{4, 6}, {{0}, {2}}, Ints{2, 0}},
      {{4, 6}, {{1}, {4}}, {}}}},
    {"Constants",
     [](ModelMaker& m) {
       m.input("x", {"4", "3"}).input("k", {"1"}, kInt64);
       list(m, "start", {0}), list(m, "to", {3, 2});
       m.node("Slice", {"x", "start", "k", "start"}, {"p"}), reshape(m, "p");
     },
     {{{4, 3}, {{2}}, Ints{3, 2}}, {{4, 3}, {{3}}, {}}, {{4, 3}, {{0}}, {}}}},
    {"Declared",
     [](ModelMaker& m) {
       m.input("x", {"N", "3"}).input("to", {"2"}, kInt64), reshape(m);
       ModelMaker::set_type(*m.graph.mutable_output(0), "y", {"2", "3"});
     },
     {{{2, 3}, {{0, 3}}, Ints{2, 3}}, {{2, 3}, {{2, 0}}, Ints{2, 3}}, {{2, 3}, {{3, 2}}, {}}}},
    {"ZerosAreZeros",
     [](ModelMaker& m) {
       m.input("x", {"N", "3"}).input("to", {"2"}, kInt64);
       set_attribute(reshape(m), "allowzero", 1);
     },
     {{{0, 3}, {{0, 5}}, Ints{0, 5}}, {{0, 3}, {{1, 5}}, {}}, {{2, 3}, {{0, 3}}, {}}, {{2, 3}, {{3, 2}}, Ints{3, 2}}}}};

class RunTimeReshape : public testing::TestWithParam<Form> {};

TEST_P(RunTimeReshape, CopiesWhereARunRequestsZero) {
  ModelMaker maker;
  maker.output("y").output("shape");
  GetParam().add(maker);
  maker.node("Shape", {"y"}, {"shape"});
  const Model model(maker);
  for (const Trial& run : GetParam().runs) {
    SCOPED_TRACE(testing::PrintToString(run.x) + testing::PrintToString(run.more));
    std::vector<float> x(size_t(std::accumulate(run.x.begin(), run.x.end(), int64_t{1}, std::multiplies<>())));
    std::iota(x.begin(), x.end(), 1.f);
    std::vector<Value> inputs{floats(run.x, x)};
    for (const Ints& values : run.more) inputs.push_back(ints({int64_t(values.size())}, values));
    if (!run.gives) {
      EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("reshape"), std::string::npos);
      EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("reshape"), std::string::npos);
      continue;
    }
    const auto outputs = model.run(inputs);
    EXPECT_EQ(outputs[0].tensor()->dims(), *run.gives);
    const auto* dims = outputs[1].tensor()->as<int64_t>();
    EXPECT_EQ(Ints(dims, dims + outputs[1].tensor()->elements()), *run.gives);
    const auto y = numbers(outputs[0]);
    EXPECT_TRUE(std::equal(y.begin(), y.end(), x.begin()));
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RunTimeReshape, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace cppgen::modules
