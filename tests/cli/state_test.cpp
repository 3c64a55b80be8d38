// Models with states on the command line.
#include <nlohmann/json.hpp>

#include "runtime/values/npy.h"
#include "tests/cli/program.h"

namespace cppgen {
namespace {

using nlohmann::json;

class StateOptions : public CliTest {
 protected:
  // present [2, P + n] = past [2, P] followed by x [2, n]; y = -present.
  std::string model() const {
    ModelMaker maker;
    maker.input("past", {"2", "P"}).input("x", {"2", "n"}).output("present").output("y");
    auto& axis = *maker.node("Concat", {"past", "x"}, {"present"}, "append").add_attribute();
    axis.set_name("axis"), axis.set_type(onnx::AttributeProto::INT), axis.set_i(1);
    maker.node("Neg", {"present"}, {"y"});
    return write("append.onnx", maker);
  }
};

TEST_F(StateOptions, RunsHaveTheResultsOfRunsWithoutStates) {
  const std::string file = model();
  const std::vector<std::string> state{"--state", "present=past:16"};
  for (const char* past : {"P=0", "P=5"}) {
    const Ended plain = run({"run", file, "--dim", "n=3", "--dim", past, "--output", path("plain")});
    ASSERT_EQ(plain.status, 0) << plain.err;
    const Ended kept = run({"verify", file, path("plain"), state[0], state[1]});
    EXPECT_EQ(kept.status, 0) << kept.err << kept.out;
  }
  ASSERT_EQ(run({"compile", file, state[0], state[1], "-o", path("package")}).status, 0);
  EXPECT_EQ(run({"verify", path("package"), path("plain")}).status, 0);
  const Ended bench = run({"bench", path("package"), "--dim", "n=1", "--dim", "P=12", "--runs", "3", "--json"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  for (const std::string& package : {path("package"), file}) {
    std::vector<std::string> arguments{"run", package, "--dim", "n=5", "--dim", "P=12"};
    if (package == file) arguments.insert(arguments.end(), state.begin(), state.end());
    const Ended full = run(arguments);
    EXPECT_EQ(full.status, 2);
    EXPECT_NE(full.err.find("16"), std::string::npos) << full.err;
  }
}

TEST_F(StateOptions, MistakesAreNamed) {
  const std::string file = model();
  EXPECT_EQ(run({"compile", file, "-o", path("none"), "--state", "present"}).err,
            "cppgen: --state present: expected OUTPUT=INPUT or OUTPUT=INPUT:CAPACITY\n");
  EXPECT_EQ(run({"compile", file, "-o", path("none"), "--state", "presents=past"}).err,
            "cppgen: --state: the model has no output 'presents'; did you mean 'present'?\n");
  EXPECT_EQ(
      run({"compile", file, "-o", path("none"), "--state", "present=past", "--dim", "P=4"}).err,
      "cppgen: --state present=past:2048: axis 1 of the input must be symbolic, not 4; --dim INPUT.AXIS=NAME makes "
      "it so\n");
  EXPECT_EQ(run({"compile", file, "-o", path("none"), "--state", "y=past"}).err,
            "cppgen: --state y=past:2048: node 'Neg#1' does not copy the input to the same positions of the output and "
            "add others behind\n");
  ASSERT_EQ(run({"compile", file, "--state", "present=past", "-o", path("package")}).status, 0);
  const Ended again = run({"run", path("package"), "--state", "present=past"});
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("--state needs the .onnx file"), std::string::npos) << again.err;
  const Ended emitted = run({"compile", file, "--state", "present=past", "--emit", "static", "-o", path("emitted")});
  EXPECT_EQ(emitted.status, 2);
  EXPECT_NE(emitted.err.find("--emit does not write models with states"), std::string::npos) << emitted.err;
}

}  // namespace
}  // namespace cppgen
