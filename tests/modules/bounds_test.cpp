// Sizes that the compiler takes for granted are checked when the model is run.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

void add_extent(ModelMaker& maker, const std::string& of) {
  maker.node("Shape", {of}, {"extent"});
  maker.initializer("zero", {1}, onnx::TensorProto::INT64).add_int64_data(0);
}

// x [N] and the first N of a table of 4.
ModelMaker sum_with_table() {
  ModelMaker maker(13);
  maker.input("x", {"N"}).output("y");
  auto& table = maker.initializer("table", {4}, onnx::TensorProto::FLOAT);
  for (float v : {1.f, 0.f, 3.f, 4.f}) table.add_float_data(v);
  add_extent(maker, "x");
  maker.node("Slice", {"table", "zero", "extent"}, {"rows"});
  maker.node("Add", {"x", "rows"}, {"sum"});
  return maker;
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

void expect_refused(const Model& model, const Value& input) {
  const std::string text = "the model requires N <= 4; N = 5 from input 'x' axis 0";
  EXPECT_EQ(error_of([&] { model.interpreted({input}); }), text);
  EXPECT_EQ(error_of([&] { model.compiled({input}, 1); }), text);
}

TEST(Bounds, OfAModelThatIsOnePlan) {
  ModelMaker maker = sum_with_table();
  maker.node("Neg", {"sum"}, {"y"});
  const Model model(maker);
  EXPECT_EQ(numbers(model.run({floats({3}, {1, 2, 3})})[0]), (std::vector<float>{-2, -2, -6}));
  expect_refused(model, floats({5}, {1, 2, 3, 4, 5}));
}

TEST(Bounds, OfAModelOfSeveralPlans) {
  ModelMaker maker = sum_with_table();
  maker.node("NonZero", {"sum"}, {"y"});
  const Model model(maker);
  EXPECT_TRUE(model.has_host_steps());
  EXPECT_EQ(model.run({floats({3}, {-1, 2, 3})})[0].tensor()->dims(), (std::vector<int64_t>{1, 2}));
  expect_refused(model, floats({5}, {1, 2, 3, 4, 5}));
}

// They are checked before any plan runs, whatever the host does later.
TEST(Bounds, OfPlansThatEveryRunExecutesAreThoseOfTheModel) {
  ModelMaker maker(18);
  maker.input("x", {"1", "1", "N"}).output("y");
  auto& kernel = maker.initializer("kernel", {1, 1, 5}, onnx::TensorProto::FLOAT);
  for (int k = 0; k < 5; k++) kernel.add_float_data(1);
  maker.node("Conv", {"x", "kernel"}, {"windows"}, "window");
  maker.node("NonZero", {"windows"}, {"y"});
  const Model model(maker);
  const std::string text = "the model requires 4 <= N for node 'window'; N = 3 from input 'x' axis 2";
  const Value x = floats({1, 1, 3}, {1, 2, 3});
  EXPECT_EQ(error_of([&] { model.interpreted({x}); }), text);
  EXPECT_EQ(error_of([&] { model.compiled({x}, 1); }), text);
}

// The check of an index needs the extent of the slice, which no shape has in it.
TEST(Bounds, RowsOfASliceAreGathered) {
  ModelMaker maker(13);
  maker.input("x", {"N"}).input("at", {"2"}, onnx::TensorProto::INT64).output("y");
  auto& table = maker.initializer("table", {4}, onnx::TensorProto::FLOAT);
  for (float v : {1.f, 2.f, 3.f, 4.f}) table.add_float_data(v);
  add_extent(maker, "x");
  maker.node("Slice", {"table", "zero", "extent"}, {"rows"});
  maker.node("Gather", {"rows", "at"}, {"y"});
  const Model model(maker);
  EXPECT_EQ(numbers(model.run({floats({3}, {0, 0, 0}), ints({2}, {2, -1})})[0]), (std::vector<float>{3, 3}));
  EXPECT_NE(error_of([&] { model.compiled({floats({2}, {0, 0}), ints({2}, {2, 0})}, 1); }), "");
}

// Two bounds, of which a run says one thing.
TEST(Bounds, AnEqualityIsSaidAsOne) {
  ModelMaker maker;
  maker.input("x", {"N"}).output("y");
  add_extent(maker, "x");
  maker.initializer("two", {1}, onnx::TensorProto::INT64).add_int64_data(2);
  maker.node("Div", {"extent", "two"}, {"half"}), maker.node("Mul", {"half", "two"}, {"even"});
  maker.node("Slice", {"x", "zero", "even"}, {"part"});
  maker.node("Add", {"part", "x"}, {"y"});
  const Model model(maker);
  EXPECT_EQ(numbers(model.run({floats({2}, {1, 2})})[0]), (std::vector<float>{2, 4}));
  const std::string text = "the model requires 2*floordiv(N, 2) = N; N = 3 from input 'x' axis 0";
  EXPECT_EQ(error_of([&] { model.interpreted({floats({3}, {1, 2, 3})}); }), text);
  EXPECT_EQ(error_of([&] { model.compiled({floats({3}, {1, 2, 3})}, 1); }), text);
}

TEST(Bounds, ResultsOfNegativeSizeNameTheirNode) {
  ModelMaker maker;
  maker.input("x", {"1", "N", "1"}).output("y");
  set_attribute(maker.node("Transpose", {"x"}, {"row"}), "perm", std::vector<int64_t>{0, 2, 1});
  set_attribute(maker.node("MaxPool", {"row"}, {"pooled"}, "pool"), "kernel_shape", std::vector<int64_t>{3});
  maker.node("CumSum", {"pooled", "last"}, {"y"});
  maker.initializer("last", {}, onnx::TensorProto::INT64).add_int64_data(2);
  const Model model(maker);
  const std::string error = error_of([&] { model.compiled({floats({1, 1, 1}, {1})}, 1); });
  EXPECT_NE(error.find("the model requires 2 <= N for node 'pool'"), std::string::npos) << error;
}

// A window of 5 x 5 in H x W elements, of which only the greatest is kept: sizes of -2 x -2 have a product like others.
TEST(Bounds, NoDimensionIsNegative) {
  ModelMaker maker(18);
  maker.input("x", {"1", "1", "H", "W"}).output("y");
  auto& kernel = maker.initializer("kernel", {1, 1, 5, 5}, onnx::TensorProto::FLOAT);
  for (int k = 0; k < 25; k++) kernel.add_float_data(1);
  maker.node("Conv", {"x", "kernel"}, {"windows"}, "window");
  maker.node("ReduceMax", {"windows"}, {"greatest"});
  maker.node("Neg", {"greatest"}, {"y"});
  const Model model(maker);
  EXPECT_EQ(numbers(model.run({floats({1, 1, 5, 5}, std::vector<float>(25, 1))})[0]), (std::vector<float>{-25}));
  for (const auto& [h, w, name] :
       {std::tuple(2, 2, "4 <= H"), std::tuple(5, 2, "4 <= W"), std::tuple(1, 9, "4 <= H")}) {
    const Value x = floats({1, 1, h, w}, std::vector<float>(size_t(h * w), 1));
    for (const std::string& error :
         {error_of([&] { model.interpreted({x}); }), error_of([&] { model.compiled({x}, 1); })})
      EXPECT_NE(error.find(std::string("the model requires ") + name), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace cppgen::modules
