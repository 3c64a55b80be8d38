// Loops whose number of rounds is known before they run are steps of one plan, and give what the host's rounds give.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

onnx::GraphProto& body_of(onnx::NodeProto& node) {
  auto& attribute = *node.add_attribute();
  attribute.set_name("body"), attribute.set_type(onnx::AttributeProto::GRAPH);
  attribute.mutable_g()->set_name("body");
  return *attribute.mutable_g();
}

void list_attribute(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name), attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t v : values) attribute.add_ints(v);
}

void floats_initializer(ModelMaker& m, const std::string& name, const std::vector<int64_t>& dims, float value) {
  auto& t = m.initializer(name, dims, onnx::TensorProto::FLOAT);
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  for (int64_t i = 0; i < count; i++) t.add_float_data(value + float(i % 3));
}

// rounds times: row = w[i], acc = (acc W) / 8 + row; all rows of acc, acc itself and i are results. The body takes w
// from around it. Where the number of rounds comes from:
enum class Rounds { constant, dimension, input };

ModelMaker loop_model(Rounds rounds, int64_t count) {
  ModelMaker m;
  m.input("w", {"R", "4"}).input("acc", {"1", "4"});
  if (rounds == Rounds::input) m.input("n", {}, onnx::TensorProto::INT64);
  if (rounds == Rounds::constant) m.initializer("n", {}, onnx::TensorProto::INT64).add_int64_data(count);
  if (rounds == Rounds::dimension) {
    m.node("Shape", {"w"}, {"shape"});
    m.initializer("zero", {}, onnx::TensorProto::INT64).add_int64_data(0);
    m.node("Gather", {"shape", "zero"}, {"n"});
  }
  floats_initializer(m, "W", {4, 4}, 0.5f);
  floats_initializer(m, "eighth", {}, 0.125f);
  auto& loop = m.node("Loop", {"n", "", "acc"}, {"last", "all", "rounds"}, "rounds");
  auto& body = body_of(loop);
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  ModelMaker::add_node(body, "Gather", {"w", "i"}, {"row"});
  ModelMaker::add_node(body, "MatMul", {"in", "W"}, {"product"});
  ModelMaker::add_node(body, "Mul", {"product", "eighth"}, {"scaled"});
  ModelMaker::add_node(body, "Add", {"scaled", "row"}, {"out"});
  ModelMaker::add_node(body, "Identity", {"go"}, {"still"});
  ModelMaker::add_node(body, "Identity", {"i"}, {"which"});
  for (const char* name : {"still", "out", "out", "which"}) body.add_output()->set_name(name);
  for (const char* name : {"last", "all", "rounds"}) m.output(name);
  return m;
}

TEST(LoopsInPlans, GiveWhatTheRoundsOfTheHostGive) {
  for (int64_t count : {0, 1, 5}) {
    std::vector<float> w;
    for (int64_t i = 0; i < count * 4; i++) w.push_back(float(i % 7) * 0.25f);
    const std::vector<Value> inputs{floats({count, 4}, w), floats({1, 4}, {1, 2, 3, 4})};
    std::vector<Value> with_count = inputs;
    with_count.push_back(ints({}, {count}));
    const Model host(loop_model(Rounds::input, count));
    EXPECT_TRUE(host.has_host_steps());
    const std::vector<Value> expected = host.run(with_count);
    for (Rounds rounds : {Rounds::constant, Rounds::dimension}) {
      const Model model(loop_model(rounds, count));
      EXPECT_FALSE(model.has_host_steps());
      const std::vector<Value> actual = model.run(inputs);
      for (size_t i = 0; i < expected.size(); i++) Model::expect_same(actual[i], expected[i]);
    }
  }
}

// The same loop, which also carries its weights: the body passes them on, one of them through an Identity.
ModelMaker carrying_loop_model() {
  ModelMaker m = loop_model(Rounds::input, 0);
  onnx::NodeProto& loop = *m.graph.mutable_node(m.graph.node_size() - 1);
  onnx::GraphProto& body = *loop.mutable_attribute(0)->mutable_g();
  loop.clear_output();
  for (const char* name : {"last", "W last", "", "all", "rounds"}) loop.add_output(name);
  for (const char* name : {"W", "eighth"}) loop.add_input(name), body.add_input()->set_name(std::string(name) + " in");
  for (onnx::NodeProto& node : *body.mutable_node())
    for (std::string& name : *node.mutable_input())
      if (name == "W" || name == "eighth") name += " in";
  ModelMaker::add_node(body, "Identity", {"W in"}, {"W out"});
  body.clear_output();
  for (const char* name : {"still", "out", "W out", "eighth in", "out", "which"}) body.add_output()->set_name(name);
  m.output("W last");
  return m;
}

TEST(LoopsInPlans, StatesThatAreNeverChangedAreConstantsOfTheBody) {
  const Model plain(loop_model(Rounds::input, 0)), carrying(carrying_loop_model());
  EXPECT_EQ(carrying.decisions(), plain.decisions());
  for (int64_t count : {0, 1, 5}) {
    const std::vector<Value> inputs{floats({count, 4}, std::vector<float>(size_t(count) * 4, 0.25f)),
                                    floats({1, 4}, {1, 2, 3, 4}), ints({}, {count})};
    const std::vector<Value> expected = plain.run(inputs), actual = carrying.run(inputs);
    ASSERT_EQ(actual.size(), expected.size() + 1);
    for (size_t i = 0; i < expected.size(); i++) Model::expect_same(actual[i], expected[i]);
    EXPECT_EQ(numbers(actual.back())[5], 2.5f);
  }
}

// A body of operators that the library has: of each row its greatest elements, sums, and places that are counted; the
// state is scattered into.
ModelMaker library_model() {
  ModelMaker m(18);
  m.input("state", {"40"}).input("rows", {"R", "40"});
  m.initializer("k", {1}, onnx::TensorProto::INT64).add_int64_data(7);
  m.initializer("axis", {}, onnx::TensorProto::INT64).add_int64_data(0);
  auto& scan = m.node("Scan", {"state", "rows"}, {"last", "sums", "greatest"});
  set_attribute(scan, "num_scan_inputs", int64_t(1));
  auto& body = body_of(scan);
  for (const char* name : {"in", "row"}) ModelMaker::set_type(*body.add_input(), name, {"40"});
  ModelMaker::add_node(body, "TopK", {"row", "k"}, {"top", "places"});
  ModelMaker::add_node(body, "CumSum", {"in", "axis"}, {"sum"});
  auto& scatter = ModelMaker::add_node(body, "ScatterElements", {"in", "places", "top"}, {"out"});
  set_attribute(scatter, "reduction", std::string("add"));
  for (const char* name : {"out", "sum", "top"}) body.add_output()->set_name(name);
  return m.output("last").output("sums").output("greatest"), m;
}

TEST(LoopsInPlans, CallTheLibrary) {
  const Model model(library_model());
  for (int64_t count : {0, 1, 6}) {
    std::vector<float> rows;
    for (int64_t i = 0; i < count * 40; i++) rows.push_back(float(i * 37 % 23));
    model.run({floats({40}, std::vector<float>(40, 2)), floats({count, 40}, rows)});
  }
  const auto steps = model.library_steps();
  for (const char* name : {"topk", "cumsum", "scatter_elements"})
    EXPECT_EQ(std::count(steps.begin(), steps.end(), name), 1) << name;
  EXPECT_FALSE(model.has_host_steps());
}

// Bodies are unfit because of a state that grows, and a condition that may end the loop.
TEST(LoopsInPlans, OthersAreRunByTheHost) {
  for (const bool grows : {true, false}) {
    ModelMaker m;
    m.input("x", {"N"}).output("y");
    m.initializer("n", {}, onnx::TensorProto::INT64).add_int64_data(4);
    m.initializer("limit", {}, onnx::TensorProto::FLOAT).add_float_data(10);
    auto& body = body_of(m.node("Loop", {"n", "", "x"}, {"y"}, "loop"));
    for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
    if (grows) {
      set_attribute(ModelMaker::add_node(body, "Concat", {"in", "x"}, {"out"}), "axis", 0);
      ModelMaker::add_node(body, "Identity", {"go"}, {"still"});
    } else {
      ModelMaker::add_node(body, "Add", {"in", "in"}, {"out"});
      set_attribute(ModelMaker::add_node(body, "ReduceMax", {"out"}, {"most"}), "keepdims", 0);
      ModelMaker::add_node(body, "Less", {"most", "limit"}, {"still"});
    }
    for (const char* name : {"still", "out"}) body.add_output()->set_name(name);
    const Model model(m);
    EXPECT_TRUE(model.has_host_steps());
    EXPECT_EQ(numbers(model.run({floats({2}, {1, 2})})[0]).size(), grows ? 10u : 2u);
    if (!grows) {
      EXPECT_EQ(numbers(model.run({floats({2}, {1, 3})})[0]), (std::vector<float>{4, 12}));
    }
  }
}

// s += x[:, t] - y[T - 1 - t]; the running s stands in column T - 1 - t of the result.
ModelMaker scan_in_both_directions(const std::string& steps) {
  ModelMaker m;
  m.input("s", {"2"}).input("x", {"2", steps}).input("y", {steps, "2"});
  auto& scan = m.node("Scan", {"s", "x", "y"}, {"last", "all"}, "scan");
  set_attribute(scan, "num_scan_inputs", 2);
  list_attribute(scan, "scan_input_axes", {1, 0});
  list_attribute(scan, "scan_input_directions", {0, 1});
  list_attribute(scan, "scan_output_axes", {-1});
  list_attribute(scan, "scan_output_directions", {1});
  auto& body = body_of(scan);
  for (const char* name : {"in", "a", "b"}) body.add_input()->set_name(name);
  ModelMaker::add_node(body, "Sub", {"a", "b"}, {"d"});
  ModelMaker::add_node(body, "Add", {"in", "d"}, {"out"});
  for (const char* name : {"out", "out"}) body.add_output()->set_name(name);
  m.output("last").output("all");
  return m;
}

TEST(LoopsInPlans, ScansInBothDirectionsAlongAnyAxis) {
  const Model model(scan_in_both_directions("T"));
  EXPECT_FALSE(model.has_host_steps());
  const auto results = model.run(
      {floats({2}, {0, 100}), floats({2, 3}, {1, 2, 3, 10, 20, 30}), floats({3, 2}, {0.5, 5, 0.25, 2, 0.125, 1})});
  EXPECT_EQ(numbers(results[0]), (std::vector<float>{5.125, 152}));
  EXPECT_EQ(numbers(results[1]), (std::vector<float>{5.125, 2.625, 0.875, 152, 127, 109}));
  for (const char* steps : {"T", "0"}) {
    const auto none =
        Model(scan_in_both_directions(steps)).run({floats({2}, {7, 8}), floats({2, 0}, {}), floats({0, 2}, {})});
    EXPECT_EQ(numbers(none[0]), (std::vector<float>{7, 8}));
    EXPECT_EQ(none[1].tensor()->dims(), (std::vector<int64_t>{2, 0}));
  }
}

}  // namespace
}  // namespace cppgen::modules
