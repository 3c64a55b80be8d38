// PASSES_NUMERIC_CHECK
#include "cppgen/flow/reference/numeric_check.h"

#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/data/rounding.h"
#include "runtime/base/errors.h"
#include "tests/passes/graph_maker.h"
#include "tests/runtime/test_package.h"
#include "tests/settings/effect.h"

namespace cppgen {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The function of this operator changes when it has been called $HEALTHY times. The check calls it once when types are
// known, and once after each later pass.
constexpr const char* kChangingFunction = "#include \"" CPPGEN_SOURCE_DIR R"(/runtime/custom/cppgen_custom.h"
#include <cstdlib>
CPPGEN_CUSTOM_LIBRARY
extern "C" const char* changing(const cppgen_custom_call* call) {
  static int calls = 0;
  const float more = ++calls > std::atoi(std::getenv("HEALTHY"));
  for (size_t i = 0; i < call->outputs[0].elements; i++)
    static_cast<float*>(call->outputs[0].data)[i] = static_cast<const float*>(call->inputs[0].data)[i] + more;
  return nullptr;
}
)";

constexpr const char* kChanging = R"({"domain": "com.mycompany", "name": "Changing",
  "inputs": [{"name": "x", "type": "float32", "shape": ["N"]}],
  "outputs": [{"name": "y", "type": "x", "shape": ["N"]}],
  "function": {"library": "changing.so", "symbol": "changing"}})";

std::string blamed_pass(const std::string& error) {
  const std::string before = "PASSES_NUMERIC_CHECK: the pass ", after = " changes the results: output \"y\": ";
  const size_t begin = error.find(before), end = error.find(after);
  return end == error.npos ? "" : error.substr(begin + before.size(), end - begin - before.size());
}

TEST_F(SettingEffect, PASSES_NUMERIC_CHECK) {
  rt::test::compile_library(kChangingFunction, path("changing.so"));
  environment["CPPGEN_CUSTOM_OPS"] = folder.write("changing.json", kChanging);
  ModelMaker maker;
  auto& own = *maker.model.add_opset_import();
  own.set_domain("com.mycompany"), own.set_version(1);
  maker.input("x", {"4"}).output("y").node("Changing", {"x"}, {"c"}).set_domain("com.mycompany");
  maker.node("Neg", {"c"}, {"y"});
  const std::string model = write("changing.onnx", maker);
  const auto blamed = [&] { return blamed_pass(run({"run", model}).err); };
  environment["HEALTHY"] = "1";
  expect_effect<std::string>("1", blamed, "", "fold_constants");
  environment["HEALTHY"] = "2";
  expect_effect<std::string>("1", blamed, "", "canonicalize");
}

class CorrectPasses : public SettingEffect {
 protected:
  CorrectPasses() { environment["CPPGEN_PASSES_NUMERIC_CHECK"] = "1", environment["CPPGEN_TIME_COMPILATION"] = "1"; }
  void expect_checked(const std::vector<std::string>& arguments) const {
    const std::string times = succeed(arguments).err;
    EXPECT_TRUE(contains(times, "numeric check")) << times;
  }
};

// This holds also if the model is in the cache.
TEST_F(CorrectPasses, AreNotBlamed) {
  ModelMaker maker;
  maker.input("x", {"N", "32"}).input("w", {"32", "48"}).output("y");
  maker.node("MatMul", {"x", "w"}, {"p"});
  maker.node("Relu", {"p"}, {"r"});
  maker.node("Softmax", {"r"}, {"s"});
  maker.node("Identity", {"s"}, {"i"});
  maker.node("Neg", {"i"}, {"y"});
  const std::string model = write("mixed.onnx", maker);
  for (int time = 0; time < 2; time++) expect_checked({"run", model, "--dim", "N=4"});
}

TEST_F(CorrectPasses, OfModelsOfSeveralPlansAreNotBlamed) {
  ModelMaker maker;
  maker.input("x", {"3", "4"}).output("y");
  maker.node("NonZero", {"x"}, {"at"});
  maker.node("Cast", {"at"}, {"f"}).add_attribute()->set_name("to");
  maker.graph.mutable_node(1)->mutable_attribute(0)->set_type(onnx::AttributeProto::INT);
  maker.graph.mutable_node(1)->mutable_attribute(0)->set_i(onnx::TensorProto::FLOAT);
  maker.node("Sin", {"f"}, {"s"});
  maker.node("Exp", {"s"}, {"y"});
  expect_checked({"run", write("positions.onnx", maker)});
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
  ScheduleCheck check(maker.g, request, schedule_options(request.settings));
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
