// PASSES_NUMERIC_CHECK
#include "cppgen/flow/numeric_check.h"

#include "cppgen/flow/rounding.h"
#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The table of times shows the check, and correct passes withstand it, also if the model is in the cache.
TEST_F(SettingEffect, PASSES_NUMERIC_CHECK) {
  ModelMaker maker;
  maker.input("x", {"N", "32"}).input("w", {"32", "48"}).output("y");
  maker.node("MatMul", {"x", "w"}, {"p"});
  maker.node("Relu", {"p"}, {"r"});
  maker.node("Softmax", {"r"}, {"s"});
  maker.node("Identity", {"s"}, {"i"});
  maker.node("Neg", {"i"}, {"y"});
  const std::string model = write("mixed.onnx", maker);
  environment["CPPGEN_TIME_COMPILATION"] = "1";
  const auto checked = [&] { return contains(succeed({"run", model, "--dim", "N=4"}).err, "numeric check"); };
  expect_effect<bool>("1", checked, false, true);
}

class ModelsOfSeveralPlans : public SettingEffect {};

TEST_F(ModelsOfSeveralPlans, AreChecked) {
  ModelMaker maker;
  maker.input("x", {"3", "4"}).output("y");
  maker.node("NonZero", {"x"}, {"at"});
  maker.node("Cast", {"at"}, {"f"}).add_attribute()->set_name("to");
  maker.graph.mutable_node(1)->mutable_attribute(0)->set_type(onnx::AttributeProto::INT);
  maker.graph.mutable_node(1)->mutable_attribute(0)->set_i(onnx::TensorProto::FLOAT);
  maker.node("Sin", {"f"}, {"s"});
  maker.node("Exp", {"s"}, {"y"});
  environment["CPPGEN_PASSES_NUMERIC_CHECK"] = "1";
  succeed({"run", write("positions.onnx", maker)});
}

std::string internal_error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

class Check : public testing::Test {
 protected:
  Check() {
    request.model = "m.onnx";
    maker.output(maker.node("Relu", {maker.node("Sin", {maker.input("x", {maker.symbol("N"), 4})})}));
  }
  CompileRequest request;
  GraphMaker maker;
};

TEST_F(Check, ThePassThatChangesResultsIsNamed) {
  NumericCheck check(request);
  check.after_graph_pass("infer_types", maker.g);
  EXPECT_EQ(internal_error_of([&] { check.after_graph_pass("harmless", maker.g); }), "");
  maker.g.nodes[1].op = "Abs";
  const std::string error = internal_error_of([&] { check.after_graph_pass("harmful", maker.g); });
  EXPECT_TRUE(error.starts_with("PASSES_NUMERIC_CHECK: the pass harmful changes the results: output \"Relu1\": "))
      << error;
}

TEST_F(Check, ThePassOverTheScheduleIsNamed) {
  ScheduleCheck check(maker.g, request);
  EXPECT_EQ(internal_error_of([&] { check.after_pass("harmless", check.program()); }), "");
  maker.g.nodes[1].op = "Abs";
  const std::string error = internal_error_of([&] { check.after_pass("harmful", ops::lower(maker.g)); });
  EXPECT_TRUE(error.starts_with("PASSES_NUMERIC_CHECK: the pass harmful changes the results: output \"Relu1\": "))
      << error;
}

TEST_F(Check, GraphsWithoutTypesAreNotRun) {
  NumericCheck check(request);
  GraphMaker untyped = maker;
  for (Value& value : untyped.g.values) value.type.reset();
  check.after_graph_pass("eliminate_dead_code", untyped.g);
  check.after_graph_pass("infer_types", maker.g);
}

TEST_F(Check, ModelsWhoseInputsCannotBeMadeAreTheUsersError) {
  GraphMaker g;
  const ValueId table = g.floats({2, 2}, {1, 2, 3, 4});
  g.output(g.node("Gather", {table, g.node("Add", {g.input("ids", {3}, DType::i64), g.ints({7})})}));
  NumericCheck check(request);
  EXPECT_THROW(check.after_graph_pass("infer_types", g.g), UserError);
}

TEST(Rounding, QuantizedGraphsMayDifferByOneQuantum) {
  const std::string name[] = {"y"};
  const auto bytes = [](std::vector<uint8_t> elements) {
    rt::Tensor tensor(DType::u8, {int64_t(elements.size())});
    std::copy(elements.begin(), elements.end(), tensor.as<uint8_t>());
    return std::vector<rt::Value>{std::move(tensor)};
  };
  const auto differ = [&](const std::vector<rt::Value>& a, const std::vector<rt::Value>& b, RoundingLimits limits) {
    return !internal_error_of([&] { require_equal("p", name, a, b, limits); }).empty();
  };
  EXPECT_TRUE(differ(bytes({1, 2}), bytes({1, 3}), {}));
  EXPECT_FALSE(differ(bytes({1, 2}), bytes({1, 3}), {0.1, 1}));
  EXPECT_TRUE(differ(bytes({1, 2}), bytes({1, 4}), {0.1, 1}));
  EXPECT_TRUE(differ(bytes({1, 2}), bytes({1, 2, 2}), {0.1, 1}));

  GraphMaker g;
  const ValueId x = g.input("x", {4});
  EXPECT_EQ(rounding_limits(g.g).integers, 0);
  g.output(g.node("QuantizeLinear", {x, g.floats({}, {0.1})}));
  EXPECT_EQ(rounding_limits(g.g).integers, 1);
}

}  // namespace
}  // namespace cppgen
