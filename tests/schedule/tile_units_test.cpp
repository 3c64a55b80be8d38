// Tests how the tiles of a contraction are divided among units of work.
#include "cppgen/forms/forms.h"
#include "cppgen/forms/tiles/plan.h"
#include "cppgen/forms/winograd/plan.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

forms::TilesPlan plan_of_product(int64_t rows, int64_t K, int64_t columns) {
  GraphMaker g;
  const std::vector<double> ones(size_t(K * columns), 1);
  g.output(g.node("MatMul", {g.input("a", {rows, K}), g.floats({K, columns}, ones)}));
  const Schedule s = scheduled(g);
  const Target target = small_target();
  return dynamic_cast<const forms::TilesPlan&>(*forms::plan_kernel({s, *kernels_of(s).at(0), target}).form);
}

// Eleven tiles of rows are too few units for many threads, so the panels are divided, too.
TEST(TileUnits, PartsOfOneTileAreNeighboursIfAllPanelsStayInTheCache) {
  const forms::TilesPlan plan = plan_of_product(64, 64, 96);
  EXPECT_LT(plan.panels_per_unit, 6);
  EXPECT_TRUE(plan.rows_outside);
}

// Two threads have different tiles, and each of them reads a panel with several before it takes the next ones.
TEST(TileUnits, SeveralTilesReadAPanelBeforeTheNextRows) {
  EXPECT_EQ(plan_of_product(64, 64, 96).tiles_together, 6) << "of eleven";
  EXPECT_EQ(plan_of_product(18, 64, 960).tiles_together, 2) << "of three";
  EXPECT_EQ(plan_of_product(12, 64, 960).tiles_together, 1) << "of two";
  EXPECT_EQ(plan_of_product(64, 1024, 384).tiles_together, 1) << "rows are inside";
}

TEST(TileUnits, LargePanelsAreReadByAsFewThreadsAsPossible) {
  const forms::TilesPlan plan = plan_of_product(64, 1024, 384);
  EXPECT_LT(plan.panels_per_unit, 24);
  EXPECT_FALSE(plan.rows_outside);
}

TEST(TileUnits, OneGroupOrOneTileHasNoOrder) {
  EXPECT_FALSE(plan_of_product(1024, 64, 96).rows_outside) << "all panels are in each unit";
  EXPECT_FALSE(plan_of_product(4, 64, 96).rows_outside) << "one tile";
}

// The plan of a convolution of 3 x 3 taps whose patches of 4 x 4 results a step of its own has transformed.
forms::WinogradPlan plan_of_shared_patches(int64_t channels, int64_t size) {
  GraphMaker g;
  const ValueId x = g.node("Relu", {g.input("x", {1, channels, size, size})});
  const std::vector<double> ones(size_t(channels * channels * 9), 1);
  const ValueId y =
      g.node("Conv", {x, g.floats({channels, channels, 3, 3}, ones)}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  g.output(g.node("Relu", {y}));
  Options options;
  options.max_autotune_conv_backends = {"WINOGRAD_4X4"};
  const Schedule s = scheduled(g, options);
  for (const FusedKernel* kernel : kernels_of(s))
    if (const auto plan = forms::plan_kernel({s, *kernel, small_target()});
        const auto* winograd = dynamic_cast<const forms::WinogradPlan*>(plan.form.get()))
      return *winograd;
  throw std::logic_error("no kernel computes patches");
}

// Each block of patches reads all weights, and each group of panels all inputs; there are eight units at least.
TEST(PatchUnits, ReadTheLeastWeightsAndInputs) {
  const forms::WinogradPlan few = plan_of_shared_patches(256, 24);
  EXPECT_TRUE(few.blocks.is_constant(1));
  EXPECT_EQ(few.panels_per_unit, 2) << "of sixteen";
  const forms::WinogradPlan many = plan_of_shared_patches(160, 56);
  EXPECT_TRUE(many.blocks.is_constant(4));
  EXPECT_EQ(many.panels_per_unit, 5) << "of ten";
}

}  // namespace
}  // namespace cppgen::schedule
