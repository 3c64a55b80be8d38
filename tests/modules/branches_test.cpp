// A branch that cannot be typed ends the runs that take it, and no others.
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

using Nodes = std::function<void(onnx::GraphProto& body, const std::string& output)>;

// Adds the nodes that compute a branch's output to its body.
void add_branch(onnx::NodeProto& choice, const char* branch, const std::string& output, const Nodes& nodes) {
  nodes(ModelMaker::add_body(choice, branch, output), output);
}

onnx::NodeProto& add_choice(onnx::GraphProto& graph, const std::string& name, const Nodes& yes, const Nodes& no) {
  auto& choice = ModelMaker::add_node(graph, "If", {"c"}, {name}, name);
  add_branch(choice, "then_branch", name + "_then", yes);
  add_branch(choice, "else_branch", name + "_else", no);
  return choice;
}

void negate(onnx::GraphProto& body, const std::string& out) { ModelMaker::add_node(body, "Neg", {"x"}, {out}); }

void convolve(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "Conv", {"x", "kernel"}, {out}, "window");
}

void add_table(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "Add", {"x", "table"}, {out}, "window");
}

void reshape(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "Reshape", {"x", "rows"}, {out}, "window");
}

void multiply(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "MatMul", {"x", "table"}, {out}, "window");
}

void squeeze(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "Squeeze", {"x", "two"}, {out}, "window");
}

void crop(onnx::GraphProto& body, const std::string& out) {
  ModelMaker::add_node(body, "Pad", {"x", "pads"}, {out}, "window");
}

void bad_permutation(onnx::GraphProto& body, const std::string& out) {
  set_attribute(ModelMaker::add_node(body, "Transpose", {"x"}, {out}, "window"), "perm", std::vector<int64_t>{1, 0});
}

// A loop whose body cannot be typed.
void loop(onnx::GraphProto& graph, const std::string& out) {
  auto& loop = ModelMaker::add_node(graph, "Loop", {"rounds", "", "x"}, {out}, "rounds_of");
  auto& body = *loop.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  for (const char* name : {"i", "go", "state"}) body.mutable_g()->add_input()->set_name(name);
  ModelMaker::add_node(*body.mutable_g(), "Identity", {"go"}, {"still"});
  ModelMaker::add_node(*body.mutable_g(), "Add", {"state", "table"}, {"next"}, "window");
  for (const char* name : {"still", "next"}) body.mutable_g()->add_output()->set_name(name);
}

// Neither branch of the inner If can be typed.
void choose_between_two(onnx::GraphProto& body, const std::string& out) {
  auto& choice = add_choice(body, "inner", convolve, add_table);
  choice.set_output(0, out);
}

struct Impossible {
  const char* name;
  Nodes nodes;
};

const std::vector<Impossible>& impossible() {
  static const std::vector<Impossible> all{{"a window larger than its input", convolve},
                                           {"shapes that do not broadcast", add_table},
                                           {"another number of elements", reshape},
                                           {"values of K that differ", multiply},
                                           {"a dimension that is not 1", squeeze},
                                           {"a negative dimension", crop},
                                           {"another rank", bad_permutation},
                                           {"a loop", loop},
                                           {"two impossible branches", choose_between_two}};
  return all;
}

// x [1, 1, 3] and constants that do not fit it.
ModelMaker model_with_constants(const std::string& extent = "3") {
  ModelMaker m(13);
  m.input("c", {}, onnx::TensorProto::BOOL).input("x", {"1", "1", extent}).output("y");
  for (const auto& [name, dims, count] :
       {std::tuple("kernel", std::vector<int64_t>{1, 1, 5}, 5), std::tuple("table", std::vector<int64_t>{4}, 4)}) {
    auto& t = m.initializer(name, dims, onnx::TensorProto::FLOAT);
    for (int k = 0; k < count; k++) t.add_float_data(1);
  }
  auto list = [&](const char* name, const std::vector<int64_t>& values) {
    auto& t = m.initializer(name, {int64_t(values.size())}, onnx::TensorProto::INT64);
    for (int64_t v : values) t.add_int64_data(v);
  };
  list("rows", {2, 2}), list("two", {2}), list("pads", {0, 0, -2, 0, 0, -2});
  m.initializer("rounds", {}, onnx::TensorProto::INT64).add_int64_data(2);
  return m;
}

void expect_only_the_taken_branch_counts(const ModelMaker& maker, bool impossible_one, const Value& x) {
  const Model model(maker);
  std::vector<float> expected = numbers(x);
  for (float& v : expected) v = -v;
  const auto y = model.run({truth(!impossible_one), x});
  EXPECT_EQ(numbers(y[0]), expected);
  EXPECT_EQ(y[0].tensor()->dims(), x.tensor()->dims());
  for (const bool compiled : {false, true}) {
    const std::string error = error_of([&] {
      const std::vector<Value> inputs{truth(impossible_one), x};
      compiled ? model.compiled(inputs, 1) : model.interpreted(inputs);
    });
    EXPECT_NE(error.find("window"), std::string::npos) << error;
  }
}

TEST(Branches, ThatCannotBeTypedEndTheRunsThatTakeThem) {
  for (const Impossible& one : impossible()) {
    SCOPED_TRACE(one.name);
    ModelMaker m = model_with_constants();
    add_choice(m.graph, "y", one.nodes, negate);
    expect_only_the_taken_branch_counts(m, true, floats({1, 1, 3}, {1, 2, 3}));
  }
}

TEST(Branches, MayBeInBranchesAndBodies) {
  ModelMaker nested = model_with_constants();
  add_choice(nested.graph, "y", negate, [](onnx::GraphProto& body, const std::string& out) {
    add_choice(body, "inner", negate, convolve).set_output(0, out);
  });
  expect_only_the_taken_branch_counts(nested, false, floats({1, 1, 3}, {1, 2, 3}));

  ModelMaker m = model_with_constants();
  auto& loop = m.node("Loop", {"one", "", "x"}, {"y"}, "rounds_of");
  m.initializer("one", {}, onnx::TensorProto::INT64).add_int64_data(1);
  auto& body = *loop.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  for (const char* name : {"i", "go", "state"}) body.mutable_g()->add_input()->set_name(name);
  ModelMaker::add_node(*body.mutable_g(), "Identity", {"go"}, {"still"});
  add_choice(*body.mutable_g(), "next", negate, convolve);
  for (const char* name : {"still", "next"}) body.mutable_g()->add_output()->set_name(name);
  expect_only_the_taken_branch_counts(m, false, floats({1, 1, 3}, {1, 2, 3}));
}

// What follows the If has the shape of the branch that can run.
TEST(Branches, OfWhichOneCanRunDecideTheShape) {
  ModelMaker m = model_with_constants();
  add_choice(m.graph, "chosen", convolve, negate);
  m.node("MatMul", {"chosen", "columns"}, {"y"});
  auto& columns = m.initializer("columns", {3, 1}, onnx::TensorProto::FLOAT);
  for (int k = 0; k < 3; k++) columns.add_float_data(1);
  EXPECT_EQ(numbers(Model(m).run({truth(false), floats({1, 1, 3}, {1, 2, 3})})[0]), (std::vector<float>{-6}));
}

TEST(Branches, OfASizeThatOnlyARunKnows) {
  for (const bool then : {true, false}) {
    ModelMaker m = model_with_constants("N");
    add_choice(m.graph, "y", then ? convolve : negate, then ? negate : convolve);
    expect_only_the_taken_branch_counts(m, then, floats({1, 1, 3}, {1, 2, 3}));
    EXPECT_EQ(numbers(Model(m).run({truth(then), floats({1, 1, 5}, {1, 2, 3, 4, 5})})[0]), (std::vector<float>{15}));
  }
}

// N <= 4 is a requirement of one branch, in which N rows of a table are added.
TEST(Branches, DoNotBoundTheSizesOfOthers) {
  ModelMaker m = model_with_constants("N");
  add_choice(
      m.graph, "y",
      [](onnx::GraphProto& body, const std::string& out) {
        ModelMaker::add_node(body, "Shape", {"x"}, {"dims"});
        ModelMaker::add_node(body, "Slice", {"dims", "two", "three"}, {"extent"});
        ModelMaker::add_node(body, "Slice", {"table", "zero", "extent"}, {"part"});
        ModelMaker::add_node(body, "Add", {"x", "part"}, {out}, "sum");
      },
      negate);
  m.initializer("three", {1}, onnx::TensorProto::INT64).add_int64_data(3);
  m.initializer("zero", {1}, onnx::TensorProto::INT64).add_int64_data(0);
  const Model model(m);
  EXPECT_EQ(numbers(model.run({truth(true), floats({1, 1, 2}, {1, 2})})[0]), (std::vector<float>{2, 3}));
  const Value five = floats({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(numbers(model.run({truth(false), five})[0]), (std::vector<float>{-1, -2, -3, -4, -5}));
  error_of([&] { model.compiled({truth(true), five}, 1); });
  error_of([&] { model.interpreted({truth(true), five}); });
}

TEST(Branches, AreErrorsOfTheModelIfNoneCanRun) {
  ModelMaker m = model_with_constants();
  add_choice(m.graph, "y", convolve, add_table);
  const std::string error = error_of([&] { Model(m).interpreted({truth(true), floats({1, 1, 3}, {1, 2, 3})}); });
  EXPECT_NE(error.find("(Conv"), std::string::npos) << error;
  EXPECT_NE(error.find("(Add"), std::string::npos) << error;
}

TEST(Branches, WithInvalidNodesAreErrorsOfTheModel) {
  const std::vector<Nodes> invalid{
      [](onnx::GraphProto& body, const std::string& out) { ModelMaker::add_node(body, "Not", {"x"}, {out}, "odd"); },
      [](onnx::GraphProto& body, const std::string& out) { ModelMaker::add_node(body, "Add", {"x"}, {out}, "odd"); },
      [](onnx::GraphProto& body, const std::string& out) {
        ModelMaker::add_node(body, "Add", {"x", "two"}, {out}, "odd");
      },
      [](onnx::GraphProto& body, const std::string& out) {
        ModelMaker::add_node(body, "NoSuchOperator", {"x"}, {out}, "odd");
      },
      [](onnx::GraphProto& body, const std::string& out) { ModelMaker::add_node(body, "Cast", {"x"}, {out}, "odd"); }};
  for (const Nodes& nodes : invalid) {
    ModelMaker m = model_with_constants();
    add_choice(m.graph, "y", nodes, negate);
    const std::string error = error_of([&] { Model(m).interpreted({truth(false), floats({1, 1, 3}, {1, 2, 3})}); });
    EXPECT_NE(error.find("odd"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace cppgen::modules
