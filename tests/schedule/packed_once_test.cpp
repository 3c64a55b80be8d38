// A constant that several products read in the same way is packed once, in the weights of the plan.
#include "cppgen/forms/forms.h"
#include "cppgen/package/plan_builder.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

constexpr int64_t kWidth = 64, kBytes = kWidth * kWidth * 4;

package::PlanAndWeights plan_of(const Schedule& s) {
  const std::vector<codegen::KernelText> kernels = forms::emit_kernels(s, small_target(), {});
  return package::build_plan(
      {s, kernels, std::vector<int>(kernels.size(), 0), {"kernels_0.so"}, {"x"}, {"y"}, "model", "avx2"});
}

ValueId weights(GraphMaker& g, double value) {
  return g.floats({kWidth, kWidth}, std::vector<double>(size_t(kWidth * kWidth), value));
}

TEST(PackedOnce, AWeightOfManyProducts) {
  GraphMaker g;
  ValueId y = g.input("x", {4, kWidth});
  const ValueId w = weights(g, 0.01);
  for (int i = 0; i < 24; i++) y = g.node("MatMul", {y, w});
  g.output(y);
  const Schedule s = scheduled(g);
  EXPECT_EQ(s.packed.size(), 24u);
  const auto plan = plan_of(s);
  EXPECT_EQ(plan.plan.weights_bytes, kBytes);
  EXPECT_EQ(plan.weights.size(), 1u);
}

TEST(PackedOnce, NotWhatIsReadInAnotherWay) {
  GraphMaker g;
  ValueId y = g.input("x", {4, kWidth});
  const ValueId w = weights(g, 0.01), other = weights(g, 0.02);
  y = g.node("Gemm", {g.node("MatMul", {y, w}), w}, {{"transB", int64_t(1)}});
  g.output(g.node("MatMul", {y, other}));
  EXPECT_EQ(plan_of(scheduled(g)).plan.weights_bytes, 3 * kBytes);
}

}  // namespace
}  // namespace cppgen::schedule
