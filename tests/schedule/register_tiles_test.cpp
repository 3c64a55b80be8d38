// Contractions that keep the sums of their tiles in registers, and those whose rows become one loop.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

using Attributes = std::map<std::string, Attribute>;

ValueId weights(GraphMaker& g, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t d : shape) count *= d;
  return g.floats(shape, std::vector<double>(size_t(count), 0.5));
}

TileContraction first_tiles(GraphMaker& g, std::vector<ir::Loop>* epilogue_loops = nullptr) {
  const Schedule s = scheduled(g);
  for (const auto& step : s.steps)
    if (const auto* kernel = std::get_if<FusedKernel>(&step); kernel && kernel->contraction) {
      if (epilogue_loops) *epilogue_loops = kernel->segments[0].loops;
      return *kernel->contraction;
    }
  ADD_FAILURE() << "no contraction";
  return {};
}

// A channels-last convolution, because the convolutions around it keep the layout.
TileContraction convolution(const Shape& x, const std::vector<int64_t>& w, const Attributes& attributes,
                            std::vector<ir::Loop>* epilogue_loops = nullptr) {
  GraphMaker g;
  const ValueId image = g.node("Relu", {g.input("x", x)});
  const ValueId y = g.node("Relu", {g.node("Conv", {image, weights(g, w)}, attributes)});
  g.output(g.node("Conv", {y, weights(g, {8, w[0], 1, 1})}));
  return first_tiles(g, epilogue_loops);
}

TileContraction product(int64_t K, const char* next) {
  GraphMaker g;
  g.output(g.node(next, {g.node("MatMul", {g.input("a", {64, K}), weights(g, {K, 48})})}));
  return first_tiles(g);
}

TEST(RegisterTiles, ShortSumsWithSimpleEpilogues) {
  EXPECT_TRUE(product(64, "Relu").in_registers);
  EXPECT_FALSE(product(64, "Tanh").in_registers);
  EXPECT_FALSE(product(4096, "Relu").in_registers);
}

TEST(RegisterTiles, ColumnsWrittenApartGoThroughMemory) {
  GraphMaker g;
  const ValueId y = g.node("MatMul", {g.input("a", {64, 32}), weights(g, {32, 48})});
  g.output(g.node("Transpose", {y}));
  EXPECT_FALSE(first_tiles(g).in_registers);
}

TEST(RegisterTiles, RowsOfAnUnpaddedImageAreOneLoop) {
  std::vector<ir::Loop> epilogue;
  const TileContraction c = convolution({2, 16, 9, 11}, {32, 16, 1, 1}, {}, &epilogue);
  ASSERT_EQ(c.rows.size(), 1u);
  EXPECT_TRUE(c.rows[0].extent.is_constant(2 * 9 * 11));
  EXPECT_EQ(epilogue.size(), 1u);
}

TEST(RegisterTiles, PaddingKeepsTheLoopsOfTheImageButNotThoseOfTheResult) {
  std::vector<ir::Loop> epilogue;
  const TileContraction c =
      convolution({2, 16, 9, 11}, {32, 16, 3, 3}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}}, &epilogue);
  EXPECT_EQ(c.rows.size(), 3u);
  EXPECT_EQ(epilogue.size(), 1u);
}

TEST(RegisterTiles, StridesAreTiledByLinesThatTilesFill) {
  const Attributes strides{{"strides", std::vector<int64_t>{2, 2}}};
  const int64_t mr = convolution({1, 16, 8, 8}, {32, 16, 1, 1}, {}).shape.mr;
  const TileContraction filled = convolution({1, 16, 8, 4 * mr}, {32, 16, 1, 1}, strides);
  EXPECT_EQ(filled.tiling, (RowTiling{false, 4, 2 * mr, 0, 0}));
  const TileContraction ragged = convolution({1, 16, 8, 2 * mr + 2}, {32, 16, 1, 1}, strides);
  EXPECT_EQ(ragged.tiling, RowTiling());
}

}  // namespace
}  // namespace cppgen::schedule
