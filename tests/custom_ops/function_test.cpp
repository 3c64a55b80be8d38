// Custom operators that are C functions of a shared library.
#include "runtime/session/cppgen.h"
#include "runtime/values/npy.h"
#include "tests/cli/program.h"
#include "tests/custom_ops/fixture.h"

namespace cppgen::custom_test {
namespace {

std::string pair_sums(const std::string& library = CPPGEN_CUSTOM_LIBRARY, const std::string& symbol = "pair_sums") {
  return R"({"domain": "com.mycompany", "name": "PairSums",
    "attributes": {"factor": {"type": "float", "default": 10}, "mode": {"type": "string", "default": "plain"}},
    "inputs": [{"name": "x", "type": "float32", "shape": ["N"]}],
    "outputs": [{"name": "y", "type": "x", "shape": ["N // 2"]}, {"name": "count", "type": "int64", "shape": []}],
    "function": {"library": ")" +
         library + R"(", "symbol": ")" + symbol + R"("}})";
}

// y = -PairSums(x + 1)
ModelMaker& between_plans(Custom& m) {
  m.maker.input("x", {"N"}).output("z").output("count");
  ModelMaker::add_node(m.maker.graph, "Add", {"x", "x"}, {"twice"});
  m.node("PairSums", {"twice"}, {"y", "count"});
  ModelMaker::add_node(m.maker.graph, "Neg", {"y"}, {"z"});
  return m.maker;
}

TEST(CustomFunction, RunsBetweenPlans) {
  Custom m;
  between_plans(m);
  const std::string ops = m.describe(pair_sums());
  for (const auto& [x, z] : std::vector<std::pair<std::vector<float>, std::vector<float>>>{
           {{1, 2, 3, 4}, {-60, -140}}, {{1, 2, 3}, {-60}}, {{}, {}}}) {
    const auto results = m.run(ops, {floats({int64_t(x.size())}, x)});
    expect_values(results[0], z);
  }
}

TEST(CustomFunction, ItsErrorsNameTheNode) {
  Custom m;
  between_plans(m);
  modules::set_attribute(*m.maker.graph.mutable_node(1), "mode", std::string("refuse"));
  const std::string ops = m.describe(pair_sums());
  for (const bool compiled : {false, true}) try {
      compiled ? m.compiled(ops, {floats({2}, {1, 2})}) : m.interpreted(ops, {floats({2}, {1, 2})});
      ADD_FAILURE();
    } catch (const UserError& e) {
      EXPECT_STREQ(e.what(), "node 'the_node' (PairSums): mode is refuse");
    }
}

class CustomFunctionProgram : public CliTest {
 protected:
  CustomFunctionProgram() {
    between_plans(m_);
    model_ = write("m.onnx", m_.maker);
  }
  void describe(const std::string& text) { environment["CPPGEN_CUSTOM_OPS"] = folder.write("ops.json", text); }

  Custom m_;
  std::string model_;
};

TEST_F(CustomFunctionProgram, APackageLoadsItOnlyIfTheUserNamesItAgain) {
  describe(pair_sums());
  ASSERT_EQ(run({"compile", model_, "-o", path("p")}).status, 0);
  const Ended good = run({"run", path("p"), "--dim", "N=4"});
  EXPECT_EQ(good.status, 0) << good.err;
  environment.erase("CPPGEN_CUSTOM_OPS");
  const Ended refused = run({"run", path("p"), "--dim", "N=4"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("the model needs the C function of the custom operator com.mycompany.PairSums (since "
                             "version 1, library "),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("name its description in CPPGEN_CUSTOM_OPS"), std::string::npos);
}

TEST_F(CustomFunctionProgram, TheCApiTakesTheDescriptions) {
  describe(pair_sums());
  ASSERT_EQ(run({"compile", model_, "-o", path("p")}).status, 0);
  const std::string description = path("ops.json");
  cppgen_error error;
  cppgen_options options;
  ASSERT_EQ(cppgen_options_init(&options, &error), CPPGEN_OK) << error.message;
  cppgen_session* session = nullptr;
  EXPECT_EQ(cppgen_session_load(path("p").c_str(), &options, &session, &error), CPPGEN_USER_ERROR);
  options.custom_ops = description.c_str();
  ASSERT_EQ(cppgen_session_load(path("p").c_str(), &options, &session, &error), CPPGEN_OK) << error.message;
  cppgen_session_free(session);
}

TEST_F(CustomFunctionProgram, WhatCannotBeLoadedIsSaid) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {pair_sums("nowhere.so"), "custom operator com.mycompany.PairSums: its library cannot be opened: "},
      {pair_sums("libm.so.6"), "cannot be opened"},  // not beside the description
      {pair_sums(CPPGEN_CUSTOM_LIBRARY, "nothing"), "has no function 'nothing'"}};
  for (const auto& [text, error] : rows) {
    describe(text);
    const Ended ended = run({"run", model_, "--dim", "N=4"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_NE(ended.err.find(error), std::string::npos) << ended.err;
  }
}

TEST_F(CustomFunctionProgram, VerifyComparesWithTheInterpreter) {
  describe(pair_sums());
  ASSERT_EQ(run({"run", model_, "--dim", "N=4", "--reference", "--output", path("data")}).status, 0);
  const Ended ended = run({"verify", model_, path("data")});
  EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
}

class CustomProgram : public CliTest {
 protected:
  // y = Op(x) with this lowering; what the program says of it.
  Ended run_with(const std::string& lowering) {
    Custom m;
    m.maker.input("x", {"2"}).output("y");
    m.node("Op", {"x"}, {"y"});
    environment["CPPGEN_CUSTOM_OPS"] = folder.write("ops.json", R"({"domain": "com.mycompany", "name": "Op",
      "inputs": [{"name": "x", "type": "float32"}], "outputs": [{"name": "y", "type": "x", "shape": "x"}],
      "lowering": ")" + lowering + "\"}");
    return run({"run", write("m.onnx", m.maker), "--seed", "1", "--output", path("out")});
  }
  std::vector<float> y() const {
    const rt::Tensor t = rt::read_npy(path("out/out_0.npy"));
    return {t.as<float>(), t.as<float>() + 2};
  }
};

TEST_F(CustomProgram, AnotherDescriptionIsAnotherModel) {
  ASSERT_EQ(run_with("y[i...] = x[i...] * 0 + 1").status, 0);
  EXPECT_EQ(y(), (std::vector<float>{1, 1}));
  ASSERT_EQ(run_with("y[i...] = x[i...] * 0 + 2").status, 0);
  EXPECT_EQ(y(), (std::vector<float>{2, 2}));
}

TEST_F(CustomProgram, ABadDescriptionIsTheUsersError) {
  const Ended ended = run_with("y[i...] = x[i...] *");
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "cppgen: " + path("ops.json") + ": lowering, column 20: expected a value, not 'the end'\n");
}

}  // namespace
}  // namespace cppgen::custom_test
