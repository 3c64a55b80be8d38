// More memory than there is, is refused before it is taken.
#include "tests/resilience/fixture.h"

namespace cppgen {
namespace {

class Memory : public Resilience {
 protected:
  void expect_refusal(const std::vector<std::string>& command, const std::string& what) const {
    const Ended ended = run(command);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_NE(ended.err.find(what), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("CPPGEN_MAX_MEMORY"), std::string::npos) << ended.err;
  }

  // Each Concat doubles 4 bytes; only the first element is read.
  std::string doubled(int times, bool constant) const {
    ModelMaker maker;
    maker.input("x", {"1"});
    maker.initializer("c", {1}, onnx::TensorProto::FLOAT).add_float_data(1);
    maker.initializer("zero", {1}, onnx::TensorProto::INT64).add_int64_data(0);
    std::string last = constant ? "c" : "x";
    for (int i = 0; i < times; i++) {
      const std::string next = "t" + std::to_string(i);
      auto& axis = *maker.node("Concat", {last, last}, {next}).add_attribute();
      axis.set_name("axis");
      axis.set_type(onnx::AttributeProto::INT);
      axis.set_i(0);
      last = next;
    }
    maker.node("Gather", {last, "zero"}, {"g"});
    maker.node("Add", {"g", "x"}, {"y"});
    maker.output("y").output(last);
    return write("doubled.onnx", maker);
  }
};

TEST_F(Memory, ChainsOfConstantsAreNotFoldedWithoutEnd) {
  const std::string model = doubled(38, true);
  expect_refusal({"run", model}, "would require");
  expect_refusal({"run", model, "--reference", "--set", "MAX_MEMORY=200MB"}, "would require");
}

TEST_F(Memory, OutputsAreCheckedBeforeTheyAreAllocated) {
  expect_refusal({"run", doubled(38, false)}, "a run with these dimensions");
}

TEST_F(Memory, RandomInputsAreCheckedBeforeTheyAreAllocated) {
  expect_refusal({"run", symbolic_model(), "--dim", "N=1000000000000"}, "would require");
  expect_refusal({"run", symbolic_model(), "--dim", "N=1000000000000", "--reference"}, "would require");
}

TEST_F(Memory, ALowerLimitHoldsEverywhere) {
  const std::string model = symbolic_model();
  const std::vector<std::string> limit{"--set", "MAX_MEMORY=1MB"};
  for (const std::vector<std::string>& way : {std::vector<std::string>{}, {"--reference"}}) {
    std::vector<std::string> small{"run", model, "--dim", "N=100"}, large{"run", model, "--dim", "N=70000"};
    for (auto* command : {&small, &large}) {
      command->insert(command->end(), way.begin(), way.end());
      command->insert(command->end(), limit.begin(), limit.end());
    }
    EXPECT_EQ(run(small).status, 0);
    if (way.empty()) expect_refusal(large, "a run with these dimensions (inputs 840000, outputs 840000");
  }
}

}  // namespace
}  // namespace cppgen
