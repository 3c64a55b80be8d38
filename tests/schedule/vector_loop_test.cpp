// The loop whose points are lanes.
#include "cppgen/schedule/kernels/vector_loop.h"

#include "cppgen/schedule/kernels/loop_order.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

ValueId weights(GraphMaker& g, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return g.floats(dims, std::vector<double>(size_t(count), 0.5));
}

// The extent of the loop whose points are lanes, in a grouped convolution between convolutions that need channels-last
// layouts.
IndexExpr lanes_of_grouped(bool any_batch, int64_t channels, int64_t groups, int64_t stride) {
  GraphMaker g;
  const ValueId x = g.input("x", {any_batch ? g.symbol("n") : IndexExpr(1), 24, 30, 30});
  const ValueId image = g.node("Conv", {x, weights(g, {channels, 24, 1, 1})});
  const ValueId y = g.node("Conv", {image, weights(g, {channels, channels / groups, 3, 3})},
                           {{"group", groups},
                            {"strides", std::vector<int64_t>{stride, stride}},
                            {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  g.output(g.node("Conv", {g.node("Relu", {y}), weights(g, {24, channels, 1, 1})}));
  const Schedule s = scheduled(g);
  for (const FusedKernel* kernel : kernels_of(s))
    if (!kernel->contraction && has_inner_loops(*kernel)) return kernel->vector_outer ? kernel->outer.back().extent : 0;
  return 0;
}

TEST(VectorLoop, ChannelsAreTheLanesOfConvolutionsOfNarrowGroups) {
  for (bool any_batch : {false, true})
    for (int64_t stride : {1, 2})
      for (int64_t width : {2, 4, 8}) {
        SCOPED_TRACE(testing::Message() << "stride " << stride << ", channels of a group " << width);
        const int64_t lanes = width < 8 ? 64 : 0;  // eight channels are a contraction on tiles
        EXPECT_TRUE(lanes_of_grouped(any_batch, 64, 64 / width, stride).is_constant(lanes));
      }
}

TEST(VectorLoop, ElementsThatNeighboursShareAreRecognised) {
  ir::IndexArena index;
  const IndexExpr c = index.loop("c", 64), x = index.loop("x", 9);
  const auto shared = repeated_elements(ir::floordiv(c, 4) * 4 + x * 64 + 3, c.node());
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(shared->lanes, 4);
  EXPECT_EQ(shared->step, 4);
  EXPECT_TRUE(ir::prove_equal(shared->lane, c));
  EXPECT_FALSE(repeated_elements(c + x, c.node()));                               // no elements are shared
  EXPECT_FALSE(repeated_elements(ir::floordiv(c * 2, 3), c.node()));              // uneven
  EXPECT_FALSE(repeated_elements(ir::floordiv(c, 4) + ir::mod(c, 4), c.node()));  // two terms move
}

// The lanes are not the five taps of a row, although taps are contiguous and every other element of the image is read.
TEST(VectorLoop, RowsOfTheImageAreTheLanesOfStridedConvolutionsOfItsChannels) {
  for (int64_t kernel : {3, 5}) {
    GraphMaker g;
    g.output(
        g.node("Conv", {g.input("x", {1, 32, 28, 28}), weights(g, {32, 4, kernel, kernel})},
               {{"group", 8}, {"strides", std::vector<int64_t>{2, 2}}, {"pads", std::vector<int64_t>(4, kernel / 2)}}));
    const Schedule s = scheduled(g);
    ASSERT_EQ(kernels_of(s).size(), 1u);
    EXPECT_TRUE(kernels_of(s)[0]->vector_outer);
    EXPECT_TRUE(kernels_of(s)[0]->outer.back().extent.is_constant(14));
  }
}

TEST(VectorLoop, OperandsThatMayRepeatAnElementMoveByOneOrNone) {
  ir::IndexArena index;
  const IndexExpr extent = index.fresh_symbol("extent");
  EXPECT_TRUE(moves_by_one_or_none(1));
  EXPECT_TRUE(moves_by_one_or_none(ir::min(extent - 1, 1)));
  EXPECT_FALSE(moves_by_one_or_none(0));  // known to repeat it
  EXPECT_FALSE(moves_by_one_or_none(2));
  EXPECT_FALSE(moves_by_one_or_none(extent));
}

}  // namespace
}  // namespace cppgen::schedule
