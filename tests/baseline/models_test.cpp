// Real networks on oneDNN against their expected outputs.
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/flow/reference/reference_plan.h"
#include "runtime/values/test_case.h"
#include "tests/baseline/fixture.h"

namespace cppgen::baseline {
namespace {

class Networks : public BaselineTest, public testing::WithParamInterface<const char*> {};

TEST_P(Networks, GiveTheExpectedOutputs) {
  const std::string stem = std::string(CPPGEN_MODELS_DIR) + "/" + GetParam();
  const CompileRequest r = request(stem + ".onnx");
  const rt::TestCase test = rt::read_test_case(stem, reference_plan(ReferenceModel(r)));
  std::vector<rt::TensorView> inputs;
  for (const rt::Tensor& in : test.inputs) inputs.push_back(in.view());
  StageClock clock;
  const auto graph = make_onednn_graph(read_and_simplify(r, clock, nullptr), 2, compiler());
  std::vector<rt::Tensor> outputs = graph->new_outputs();
  std::vector<rt::OutputView> views;
  for (rt::Tensor& out : outputs) views.push_back(out.output());
  graph->run(inputs, views);
  const auto report = rt::compare_outputs(test.outputs, outputs);
  EXPECT_TRUE(report.ok()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(All, Networks, testing::Values("squeezenet1_1", "mobilenet_v2", "shufflenet_v1", "dlrm"));

}  // namespace
}  // namespace cppgen::baseline
