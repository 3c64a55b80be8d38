// Tests how the tiles of a contraction are divided among units of work.
#include "cppgen/forms/forms.h"
#include "cppgen/forms/tiles/plan.h"
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

}  // namespace
}  // namespace cppgen::schedule
