// Results whose extents follow from extents of a run: Resize, NonMaxSuppression, Reshape.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value) {
  auto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}

struct Sampling {
  const char *mode, *coordinates, *nearest;
};

// Resize of [1, 2, H, W] by scales, constant sizes or sizes of a run.
ModelMaker resize_model(const Sampling& s, const std::string& by, bool constant_input) {
  ModelMaker m;
  m.input("x",
          constant_input ? std::vector<std::string>{"1", "2", "3", "4"} : std::vector<std::string>{"1", "2", "H", "W"});
  std::vector<std::string> inputs{"x", "", ""};
  if (by == "scales") {
    auto& scales = m.initializer("scales", {4}, onnx::TensorProto::FLOAT);
    for (float v : {1.f, 1.f, 2.f, 1.5f}) scales.add_float_data(v);
    inputs[2] = "scales";
  } else {
    inputs.push_back("sizes");
  }
  if (by == "constant sizes") {
    auto& sizes = m.initializer("sizes", {4}, onnx::TensorProto::INT64);
    for (int64_t v : {1, 2, 6, 6}) sizes.add_int64_data(v);
  }
  if (by == "sizes of a run") m.input("sizes", {"4"}, onnx::TensorProto::INT64);
  auto& node = m.node("Resize", inputs, {"y"}, "resize");
  set_text(node, "mode", s.mode);
  set_text(node, "coordinate_transformation_mode", s.coordinates);
  set_text(node, "nearest_mode", s.nearest);
  return m.output("y"), m;
}

constexpr Sampling kSamplings[] = {
    {"nearest", "asymmetric", "floor"},        {"nearest", "half_pixel", "round_prefer_ceil"},
    {"linear", "half_pixel", "floor"},         {"linear", "align_corners", "floor"},
    {"linear", "pytorch_half_pixel", "floor"}, {"cubic", "half_pixel", "floor"}};

TEST(RunTimeExtents, ResizeIsThatOfConstantExtents) {
  std::vector<float> x;
  for (int i = 0; i < 24; i++) x.push_back(std::sin(float(i)));
  const Value image = floats({1, 2, 3, 4}, x);
  for (const Sampling& s : kSamplings)
    for (const std::string by : {"scales", "constant sizes", "sizes of a run"}) {
      SCOPED_TRACE(std::string(s.mode) + " " + s.coordinates + " " + by);
      const bool run = by == "sizes of a run";
      const auto expected = numbers(Model(resize_model(s, run ? "constant sizes" : by, true)).interpreted({image})[0]);
      std::vector<Value> inputs{image};
      if (run) inputs.push_back(ints({4}, {1, 2, 6, 6}));
      const Model free(resize_model(s, by, false));
      for (const auto& actual : {free.interpreted(inputs)[0], free.compiled(inputs, 2)[0]}) {
        EXPECT_EQ(actual.tensor()->dims(), (std::vector<int64_t>{1, 2, 6, 6}));
        const auto y = numbers(actual);
        for (size_t i = 0; i < expected.size(); i++) EXPECT_NEAR(y[i], expected[i], 1e-5) << i;
      }
    }
}

// Antialiased from [9, 7], by scales or sizes that are constants or a run's, with extents that are or are not.
ModelMaker antialiased_model(const std::string& mode, bool by_scales, bool outside, bool constants) {
  ModelMaker m(19);
  m.input("x", constants ? std::vector<std::string>{"9", "7"} : std::vector<std::string>{"H", "W"}).output("y");
  const int type = by_scales ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64;
  if (!constants) m.input("to", {"2"}, type);
  if (constants) {
    auto& to = m.initializer("to", {2}, type);
    for (float v : {0.3f, 0.6f}) by_scales ? to.add_float_data(v) : to.add_int64_data(int64_t(v * 10));
  }
  auto& node = m.node("Resize",
                      by_scales ? std::vector<std::string>{"x", "", "to"} : std::vector<std::string>{"x", "", "", "to"},
                      {"y"}, "resize");
  set_text(node, "mode", mode);
  set_attribute(node, "antialias", int64_t(1)), set_attribute(node, "exclude_outside", int64_t(outside));
  return m;
}

TEST(RunTimeExtents, AntialiasedResizeIsThatOfConstants) {
  std::vector<float> x(63);
  for (size_t i = 0; i < x.size(); i++) x[i] = std::sin(float(i));
  for (const std::string mode : {"linear", "cubic"})
    for (const bool by_scales : {true, false})
      for (const bool outside : {true, false}) {
        SCOPED_TRACE(fmt::format("{} {} {}", mode, by_scales, outside));
        const Value image = floats({9, 7}, x);
        Value to = ints({2}, {3, 6});
        if (by_scales) to = floats({2}, {0.3f, 0.6f});
        const auto expected = numbers(Model(antialiased_model(mode, by_scales, outside, true)).interpreted({image})[0]);
        const Model free(antialiased_model(mode, by_scales, outside, false));
        for (const auto& actual : {free.interpreted({image, to})[0], free.compiled({image, to}, 2)[0]}) {
          const auto y = numbers(actual);
          ASSERT_EQ(y.size(), expected.size());
          for (size_t i = 0; i < y.size(); i++) EXPECT_NEAR(y[i], expected[i], 1e-6) << i;
        }
      }
}

ModelMaker suppression_model() {
  ModelMaker m(11);
  m.input("boxes", {"N", "A", "4"}).input("scores", {"N", "C", "A"}).output("chosen").output("picked");
  m.initializer("most", {1}, onnx::TensorProto::INT64).add_int64_data(2);
  m.initializer("overlap", {1}, onnx::TensorProto::FLOAT).add_float_data(0.5f);
  m.initializer("least", {1}, onnx::TensorProto::FLOAT).add_float_data(0.1f);
  m.node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, {"chosen"}, "suppress");
  m.node("GatherND", {"scores", "chosen"}, {"picked"});
  return m;
}

TEST(RunTimeExtents, SuppressionTakesAsManyBoxesAsTheDataSay) {
  const Model model(suppression_model());
  // Box 1 covers most of box 0, box 2 stands alone, box 3 has a low score.
  const Value boxes = floats({1, 4, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9f, 2, 2, 3, 3, 5, 5, 6, 6});
  const auto some = model.run({boxes, floats({1, 2, 4}, {0.8f, 0.9f, 0.5f, 0.05f, 0, 0, 0.3f, 0.4f})});
  EXPECT_EQ(some[0].tensor()->dims(), (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(numbers(some[1]), (std::vector<float>{0.9f, 0.5f, 0.4f, 0.3f}));
  const auto none = model.run({boxes, floats({1, 2, 4}, std::vector<float>(8, 0))});
  EXPECT_EQ(none[0].tensor()->dims(), (std::vector<int64_t>{0, 3}));
}

ModelMaker top_model(bool constant_count) {
  ModelMaker m;
  m.input("x", {"N", "A", "2"}).output("values").output("positions").output("sum");
  if (constant_count) m.initializer("k", {1}, onnx::TensorProto::INT64).add_int64_data(2);
  if (!constant_count) m.input("k", {"1"}, onnx::TensorProto::INT64);
  set_attribute(m.node("TopK", {"x", "k"}, {"values", "positions"}, "top"), "axis", 1);
  m.node("Add", {"values", "values"}, {"sum"});
  return m;
}

TEST(RunTimeExtents, TheGreatestOfAnyNumber) {
  const Value x = floats({1, 3, 2}, {1, 5, 3, NAN, 3, 4});
  for (bool constant : {true, false}) {
    const Model model(top_model(constant));
    std::vector<Value> inputs{x};
    if (!constant) inputs.push_back(ints({1}, {2}));
    const auto y = model.run(inputs);
    EXPECT_EQ(y[1].tensor()->dims(), (std::vector<int64_t>{1, 2, 2}));
    const auto* at = y[1].tensor()->as<int64_t>();
    EXPECT_EQ(std::vector<int64_t>(at, at + 4), (std::vector<int64_t>{1, 1, 2, 0}));
    EXPECT_EQ(numbers(y[2])[0], 6);
    inputs[0] = floats({1, 1, 2}, {1, 2});
    EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("top"), std::string::npos);
  }
}

// Only the extent of what was found is asked for.
TEST(RunTimeExtents, ACountNeedsWhatItCounts) {
  ModelMaker m;
  m.input("x", {"N"}).output("count");
  m.node("NonZero", {"x"}, {"found"});
  m.node("Shape", {"found"}, {"count"});
  const auto y = Model(m).run({floats({4}, {0, 1, 2, 0})});
  EXPECT_EQ(y[0].tensor()->as<int64_t>()[1], 2);
}

// Halves of extents, put together again: whether they fit is known in a run.
TEST(RunTimeExtents, ReshapesThatOnlyARunCanJudge) {
  ModelMaker m;
  m.input("x", {"N", "4"}).output("y");
  for (const auto& [name, values] : {std::pair("two", std::vector<int64_t>{2}), {"start", {0}}, {"end", {1}}}) {
    auto& t = m.initializer(name, {1}, onnx::TensorProto::INT64);
    for (int64_t v : values) t.add_int64_data(v);
  }
  m.initializer("four", {1}, onnx::TensorProto::INT64).add_int64_data(4);
  m.node("Shape", {"x"}, {"shape"});
  m.node("Slice", {"shape", "start", "end"}, {"n"});
  m.node("Div", {"n", "two"}, {"half"});
  set_attribute(m.node("Concat", {"half", "two", "four"}, {"pairs"}), "axis", 0);
  m.node("Reshape", {"x", "pairs"}, {"p"}, "to_pairs");
  m.node("Neg", {"p"}, {"y"});
  const Model model(m);
  EXPECT_EQ(model.run({floats({4, 4}, std::vector<float>(16, 1))})[0].tensor()->dims(),
            (std::vector<int64_t>{2, 2, 4}));
  const std::vector<Value> odd{floats({3, 4}, std::vector<float>(12, 1))};
  EXPECT_NE(error_of([&] { model.compiled(odd, 1); }).find("to_pairs"), std::string::npos);
}

TEST(RunTimeExtents, WhatRemainsOfAReshape) {
  ModelMaker m;
  m.input("x", {"N", "3"}).output("y");
  auto& shape = m.initializer("shape", {2}, onnx::TensorProto::INT64);
  for (int64_t v : {-1, 2}) shape.add_int64_data(v);
  m.node("Reshape", {"x", "shape"}, {"y"}, "to_pairs");
  const Model model(m);
  EXPECT_EQ(model.run({floats({2, 3}, {1, 2, 3, 4, 5, 6})})[0].tensor()->dims(), (std::vector<int64_t>{3, 2}));
  EXPECT_NE(error_of([&] { model.compiled({floats({1, 3}, {1, 2, 3})}, 1); }).find("to_pairs"), std::string::npos);
}

// x [dims] reshaped to [-1, its dimension `axis`].
ModelMaker rows_of(const std::vector<std::string>& dims, int64_t axis, bool fresh) {
  ModelMaker m;
  m.input("x", dims).output("y").output("shape");
  m.initializer("rest", {1}, onnx::TensorProto::INT64).add_int64_data(-1);
  m.initializer("axis", {1}, onnx::TensorProto::INT64).add_int64_data(axis);
  m.initializer("start", {1}, onnx::TensorProto::INT64).add_int64_data(0);
  std::string of = "x";
  if (fresh) {
    m.input("end", {"1"}, onnx::TensorProto::INT64);
    m.node("Slice", {"x", "start", "end", "axis"}, {"part"});
    of = "part";
  }
  m.node("Shape", {of}, {"dims"}), m.node("Gather", {"dims", "axis"}, {"kept"});
  set_attribute(m.node("Concat", {"rest", "kept"}, {"to"}), "axis", 0);
  m.node("Reshape", {of, "to"}, {"y"}, "reshape"), m.node("Shape", {"y"}, {"shape"});
  return m;
}

// A requested 0 that a run finds is the input's dimension, as ONNX says.
TEST(RunTimeExtents, AReshapeCopiesWhereARunRequestsZero) {
  const auto dims_after = [](const Value& y) { return y.tensor()->dims(); };
  for (const bool fresh : {false, true})
    for (int64_t n : {0, 1, 2}) {
      SCOPED_TRACE(fmt::format("{} {}", fresh, n));
      const Model rows(rows_of({"N", "6"}, 0, fresh));
      std::vector<Value> inputs{floats({n, 6}, std::vector<float>(size_t(6 * n), 1))};
      if (fresh) inputs.push_back(ints({1}, {n}));
      const auto y = rows.run(inputs);
      const std::vector<int64_t> expected{n ? 6 : 0, n ? n : 6};
      EXPECT_EQ(dims_after(y[0]), expected);
      EXPECT_EQ(std::vector<int64_t>(y[1].tensor()->as<int64_t>(), y[1].tensor()->as<int64_t>() + 2), expected);
    }
  const Model third(rows_of({"A", "B", "A", "C"}, 2, false));
  EXPECT_EQ(dims_after(third.run({floats({0, 3, 0, 2}, {})})[0]), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(dims_after(third.run({floats({2, 3, 2, 1}, std::vector<float>(12, 1))})[0]), (std::vector<int64_t>{6, 2}));
}

// Parts of one element, as many as a run has: a shape made of one of them has a known number of elements.
TEST(RunTimeExtents, PartsOfOneElementMakeShapes) {
  ModelMaker m;
  m.input("x", {"1", "2"}).input("times", {"N"}, onnx::TensorProto::INT64).input("at", {}, onnx::TensorProto::INT64);
  m.initializer("two", {1}, onnx::TensorProto::INT64).add_int64_data(2);
  m.node("Shape", {"times"}, {"count"});
  auto& value = *m.node("ConstantOfShape", {"count"}, {"ones"}).add_attribute();
  value.set_name("value"), value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::INT64), value.mutable_t()->add_dims(1);
  value.mutable_t()->add_int64_data(1);
  m.node("SplitToSequence", {"times", "ones"}, {"parts"}), m.node("SequenceAt", {"parts", "at"}, {"part"});
  set_attribute(m.node("Concat", {"part", "two"}, {"to"}), "axis", 0);
  m.node("Expand", {"x", "to"}, {"y"}, "repeat");
  m.output("y");
  const Model model(m);
  for (int64_t at : {0, 1, 2}) {
    const auto y = model.run({floats({1, 2}, {5, 6}), ints({3}, {2, 0, 1}), ints({}, {at})})[0];
    EXPECT_EQ(y.tensor()->dims(), (std::vector<int64_t>{std::vector<int64_t>{2, 0, 1}[size_t(at)], 2}));
  }
}

}  // namespace
}  // namespace cppgen::modules
