// Functions of a model compute what the same nodes compute written out, bit for bit, compiled and interpreted.
#include "tests/import/function_maker.h"
#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

void expect_same_results(const ModelMaker& calls, const ModelMaker& flat, const std::vector<Value>& inputs) {
  const Model model(calls), plain(flat);
  auto same = [](const std::vector<Value>& actual, const std::vector<Value>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); i++) Model::expect_same(actual[i], expected[i]);
  };
  same(model.interpreted(inputs), plain.interpreted(inputs));
  for (int threads : {1, 2}) same(model.compiled(inputs, threads), plain.compiled(inputs, threads));
}

Value some_floats(int64_t n) {
  std::vector<float> values;
  for (int64_t i = 0; i < n; i++) values.push_back(0.37f * float(i) - 1.1f);
  return floats({n}, values);
}

// "t" and "x" mean other values inside than outside, and an absent input stays one.
TEST(Functions, NamesInsideAreNotThoseOutside) {
  ModelMaker m, flat;
  for (ModelMaker* model : {&m, &flat}) {
    model->input("x", {"N"}).input("top", {}).output("y").output("z");
    model->node("Exp", {"x"}, {"t"});
  }
  call_function(m, "Clamp", {"t", "", "top"}, {"y"});
  call_function(m, "Clamp", {"x", "top"}, {"z"});
  FunctionMaker f(m, "Clamp", {"t", "low", "high"}, {"x"});
  f.node("Clip", {"t", "low", "high"}, {"y"});
  f.node("Tanh", {"y"}, {"x"});
  flat.node("Clip", {"t", "", "top"}, {"y1"});
  flat.node("Tanh", {"y1"}, {"y"});
  flat.node("Clip", {"x", "top"}, {"z1"});
  flat.node("Tanh", {"z1"}, {"z"});
  expect_same_results(m, flat, {some_floats(19), floats({}, {0.5f})});
}

// Loop: v = v * s + x for each round, of what the function is given; `s` is its attribute, in the body's body.
void add_loop(onnx::NodeProto& loop, const std::function<void(onnx::NodeProto&)>& set_alpha) {
  auto& body = body_attribute(loop, "body");
  for (const char* name : {"i", "go", "in"}) body.add_input()->set_name(name);
  auto& choice = ModelMaker::add_node(body, "If", {"go"}, {"scaled"});
  auto& yes = body_attribute(choice, "then_branch");
  set_alpha(ModelMaker::add_node(yes, "LeakyRelu", {"in"}, {"a"}));
  yes.add_output()->set_name("a");
  auto& no = body_attribute(choice, "else_branch");
  ModelMaker::add_node(no, "Neg", {"in"}, {"b"});
  no.add_output()->set_name("b");
  ModelMaker::add_node(body, "Add", {"scaled", "x"}, {"out"});
  ModelMaker::add_node(body, "Identity", {"go"}, {"still"});
  for (const char* name : {"still", "out"}) body.add_output()->set_name(name);
}

TEST(Functions, LoopsInsideTakeValuesAndAttributesOfTheCall) {
  auto alpha = [](float value) {
    onnx::AttributeProto a;
    a.set_name("alpha");
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(value);
    return a;
  };
  ModelMaker m, flat;
  for (ModelMaker* model : {&m, &flat}) {
    model->input("n", {}, onnx::TensorProto::INT64).input("x", {"N"}).output("y");
    model->node("Sin", {"x"}, {"other"});
  }
  auto& call = call_function(m, "Again", {"n", "other", "x"}, {"y"});
  *call.add_attribute() = alpha(0.25f);
  call.mutable_attribute(0)->set_name("slope");
  FunctionMaker f(m, "Again", {"other", "n", "x"}, {"r"});  // the caller's names in another order
  f.proto.add_attribute("slope");
  add_loop(f.node("Loop", {"other", "", "n"}, {"r"}),
           [](onnx::NodeProto& node) { refer(node, "alpha", "slope", onnx::AttributeProto::FLOAT); });
  add_loop(flat.node("Loop", {"n", "", "other"}, {"y"}),
           [&](onnx::NodeProto& node) { *node.add_attribute() = alpha(0.25f); });
  expect_same_results(m, flat, {ints({}, {3}), some_floats(7)});
}

// Calls in a branch, of a function that has a branch with a call.
TEST(Functions, BodiesCallFunctions) {
  ModelMaker m, flat;
  for (ModelMaker* model : {&m, &flat}) {
    model->input("c", {}, onnx::TensorProto::BOOL).input("x", {"N"}).output("y");
    auto& choice = model->node("If", {"c"}, {"y"}, "choice");
    for (const char* name : {"then_branch", "else_branch"}) {
      auto& branch = body_attribute(choice, name);
      branch.add_output()->set_name("r");
      const bool yes = name == std::string("then_branch");
      if (!yes) {
        ModelMaker::add_node(branch, "Abs", {"x"}, {"r"});
      } else if (model == &m) {
        ModelMaker::add_node(branch, "Outer", {"x", "c"}, {"r"}).set_domain("f");
      } else {
        auto& inner = body_attribute(ModelMaker::add_node(branch, "If", {"c"}, {"q"}), "then_branch");
        ModelMaker::add_node(inner, "Cos", {"x"}, {"p"});
        inner.add_output()->set_name("p");
        auto& other = body_attribute(*branch.mutable_node(0), "else_branch");
        ModelMaker::add_node(other, "Sin", {"x"}, {"p2"});
        other.add_output()->set_name("p2");
        ModelMaker::add_node(branch, "Mul", {"q", "x"}, {"r"});
      }
    }
  }
  FunctionMaker outer(m, "Outer", {"v", "c"}, {"r"});
  auto& choice = outer.node("If", {"c"}, {"q"});
  for (const auto& [name, op] : {std::pair{"then_branch", "Cos"}, {"else_branch", "Sin"}}) {
    auto& branch = body_attribute(choice, name);
    ModelMaker::add_node(branch, std::string("Call") + op, {"v"}, {"r"}).set_domain("f");
    branch.add_output()->set_name("r");
    FunctionMaker(m, std::string("Call") + op, {"x"}, {"y"}).node(op, {"x"}, {"y"});
  }
  outer.node("Mul", {"q", "v"}, {"r"});
  for (bool c : {true, false}) expect_same_results(m, flat, {truth(c), some_floats(9)});
}

// Random numbers come from the name of the node: each call has its own, the same in every run.
TEST(Functions, CallsDrawNumbersOfTheirOwn) {
  ModelMaker m, flat;
  for (ModelMaker* model : {&m, &flat}) model->input("x", {"N"}).output("y").output("z");
  call_function(m, "Draw", {"x"}, {"y"}, "one");
  call_function(m, "Draw", {"x"}, {"z"}, "two");
  FunctionMaker(m, "Draw", {"a"}, {"b"}).node("RandomNormalLike", {"a"}, {"b"}, "noise");
  flat.node("RandomNormalLike", {"x"}, {"y"}, "one/noise");
  flat.node("RandomNormalLike", {"x"}, {"z"}, "two/noise");
  expect_same_results(m, flat, {some_floats(8)});
  const auto results = Model(m).interpreted({some_floats(8)});
  EXPECT_NE(numbers(results[0]), numbers(results[1]));
}

// Softmax of version 11 takes all dimensions behind the axis at once.
TEST(Functions, OperatorsAreOfTheFunctionsVersion) {
  ModelMaker m(17), flat(11);
  for (ModelMaker* model : {&m, &flat}) model->input("x", {"2", "3", "5"}).output("y");
  call_function(m, "Old", {"x"}, {"y"});
  FunctionMaker(m, "Old", {"a"}, {"b"}, 11).node("Softmax", {"a"}, {"b"});
  flat.node("Softmax", {"x"}, {"y"});
  std::vector<float> values;
  for (int i = 0; i < 30; i++) values.push_back(0.1f * float(i % 7));
  expect_same_results(m, flat, {floats({2, 3, 5}, values)});
}

// An output that is an input, an output that is a constant of the function, and one that is given out twice.
TEST(Functions, OutputsMayBeNoNewValues) {
  ModelMaker m, flat;
  for (ModelMaker* model : {&m, &flat}) model->input("x", {"N"}).output("same").output("one").output("p").output("q");
  call_function(m, "Out", {"x"}, {"same", "one", "p", "q"});
  FunctionMaker f(m, "Out", {"a"}, {"a", "k", "b", "b"});
  f.node("Abs", {"a"}, {"b"});
  for (auto* k : {&f.node("Constant", {}, {"k"}), &flat.node("Constant", {}, {"one"})}) {
    auto& value = *k->add_attribute();
    value.set_name("value_float");
    value.set_type(onnx::AttributeProto::FLOAT);
    value.set_f(1.5f);
  }
  flat.node("Identity", {"x"}, {"same"});
  flat.node("Abs", {"x"}, {"p"});
  flat.node("Abs", {"x"}, {"q"});
  expect_same_results(m, flat, {some_floats(5)});
}

TEST(Functions, ErrorsOfARunNameTheCalls) {
  ModelMaker m;
  m.input("x", {"N"}).input("shape", {"1"}, onnx::TensorProto::INT64).output("y");
  call_function(m, "Outer", {"x", "shape"}, {"y"}, "call");
  FunctionMaker(m, "Outer", {"x", "to"}, {"y"}).call("Inner", {"x", "to"}, {"y"}, "deeper");
  FunctionMaker(m, "Inner", {"x", "to"}, {"y"}).node("Reshape", {"x", "to"}, {"y"}, "inner");
  const Model model(m);
  const std::string error = error_of([&] { model.compiled({some_floats(3), ints({1}, {2})}, 1); });
  EXPECT_NE(error.find("call/deeper/inner"), std::string::npos) << error;
}

}  // namespace
}  // namespace cppgen::modules
