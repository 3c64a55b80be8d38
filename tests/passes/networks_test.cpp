// The real networks: passes keep what they compute. Interpreted, so only those of moderate size.
#include "cppgen/import/import.h"
#include "cppgen/passes/pipeline.h"
#include "tests/needed_data.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::passes {
namespace {

double greatest_difference(const ir::HostTensor& a, const ir::HostTensor& b) {
  double difference = 0, scale = 0;
  for (int64_t i = 0; i < a.elements(); i++) {
    difference = std::max(difference, std::fabs(double(a.as<float>()[i]) - b.as<float>()[i]));
    scale = std::max(scale, std::fabs(double(a.as<float>()[i])));
  }
  return difference / scale;
}

class Networks : public testing::TestWithParam<const char*> {};

TEST_P(Networks, KeepTheirMeaning) {
  std::filesystem::path file = std::filesystem::path(CPPGEN_MODELS_DIR) / (std::string(GetParam()) + ".onnx");
  CPPGEN_NEEDS_DATA(file);
  PassOptions plain;
  plain.constant_folding = plain.pattern_matcher = false;
  Graph before = import_onnx(file.string()), after = import_onnx(file.string());
  run_passes(before, plain);
  run_passes(after);
  EXPECT_LE(after.nodes.size(), before.nodes.size());
  auto expected = run(before), got = run(after);
  ASSERT_EQ(expected.size(), got.size());
  for (size_t i = 0; i < expected.size(); i++) {
    ASSERT_EQ(expected[i].dims, got[i].dims);
    EXPECT_LT(greatest_difference(expected[i], got[i]), 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Real, Networks, testing::Values("squeezenet1_1", "shufflenet_v1", "densenet121_opset9"));

}  // namespace
}  // namespace cppgen::passes
