// The report of `explain` about layouts: orders, gaps, and all data that each run moves.
#include "cppgen/schedule/layout/layout_report.h"

#include "runtime/plugins/plugins.h"
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

LayoutReport report_of(GraphMaker& g, const Options& options = {}) { return layout_report(scheduled(g, options)); }

ValueId convolution(GraphMaker& g, ValueId x, std::vector<int64_t> w, std::vector<int64_t> pads) {
  int64_t count = 1;
  for (int64_t d : w) count *= d;
  return g.node("Conv", {x, g.floats(w, std::vector<double>(size_t(count), 0.5))}, {{"pads", pads}});
}

TEST(LayoutReport, ConversionsStandBetweenNodes) {
  GraphMaker g;
  g.output(convolution(g, g.input("x", {1, 16, 5, 5}), {8, 16, 1, 1}, {0, 0, 0, 0}));
  const LayoutReport r = report_of(g);
  ASSERT_EQ(r.movements.size(), 1u);
  const auto& m = r.movements[0];
  EXPECT_EQ(m.kind, "layout");
  EXPECT_EQ(m.tensor, "x");
  EXPECT_EQ(m.from, std::vector<std::string>{"(input)"});
  EXPECT_EQ(m.to.size(), 1u);
  EXPECT_EQ(m.reason, "its K axis is not contiguous, and it is not a temporary");
  EXPECT_TRUE(m.bytes.is_constant(2 * 4 * 16 * 5 * 5));
  ASSERT_EQ(r.orders.size(), 1u);
  EXPECT_EQ(r.orders[0].order, with_last(4, 1).order);
}

// A depthwise convolution, of an input or of a temporary, to an output or to a temporary.
LayoutReport of_depthwise(int64_t channels, bool first, bool last, IndexExpr (*size)(GraphMaker&)) {
  GraphMaker g;
  ValueId x = g.input("x", {1, channels, size(g), size(g)});
  if (first) x = g.node("Softmax", {x});
  const std::vector<double> weights(size_t(channels * 9), 0.5);
  x = g.node("Conv", {x, g.floats({channels, 1, 3, 3}, weights)}, {{"group", channels}});
  g.output(last ? g.node("Softmax", {x}) : x);
  return report_of(g);
}

size_t channels_last(const LayoutReport& report) {
  for (const auto& order : report.orders)
    if (order.order == with_last(4, 1).order) return order.tensors.size();
  return 0;
}

TEST(LayoutReport, DepthwiseConvolutionsOfUnknownSizesHaveTheirChannelsLast) {
  const auto unknown = [](GraphMaker& g) { return g.symbol("size"); };
  const LayoutReport inside = of_depthwise(24, true, true, unknown);
  EXPECT_TRUE(inside.movements.empty());
  EXPECT_GE(channels_last(inside), 2u) << "image and result";
  const LayoutReport copied = of_depthwise(24, false, true, unknown);
  ASSERT_EQ(copied.movements.size(), 1u);
  EXPECT_EQ(copied.movements[0].reason, "its channels are not contiguous, and it is not a temporary");
  const LayoutReport given = of_depthwise(24, true, false, unknown);
  ASSERT_EQ(given.movements.size(), 1u);
  EXPECT_EQ(given.movements[0].to, std::vector<std::string>{"(output)"});
  EXPECT_EQ(given.movements[0].reason, "its channels are contiguous where it is computed, and it is not a temporary");
  EXPECT_EQ(channels_last(of_depthwise(15, true, true, unknown)), 0u) << "few channels";
  GraphMaker g;  // the image is channels-last because a convolution reads it
  const ValueId x = g.node("Softmax", {g.input("x", {1, 16, 5, 5})});
  const ValueId y =
      g.node("Conv", {x, g.floats({16, 1, 3, 3}, std::vector<double>(144, 0.5))}, {{"group", int64_t(16)}});
  g.output(y).output(convolution(g, x, {16, 16, 1, 1}, {0, 0, 0, 0}));
  const auto movements = report_of(g).movements;
  EXPECT_TRUE(std::any_of(movements.begin(), movements.end(), [](const auto& m) {
    return m.to == std::vector<std::string>{"(output)"} && m.reason.starts_with("its channels are contiguous where");
  }));
  const auto known = [](GraphMaker&) { return IndexExpr(20); };
  EXPECT_EQ(channels_last(of_depthwise(24, true, true, known)), 0u) << "windows slide along rows";
}

// The step and the number of channels decide; the image and the result are an input and an output, which are copied.
TEST(LayoutReport, TransposedDepthwiseConvolutionsWithAStrideHaveTheirChannelsLast) {
  const auto copies = [](int64_t channels, int64_t stride) {
    GraphMaker g;
    const std::vector<double> weights(size_t(channels * 16), 0.5);
    g.output(g.node("ConvTranspose", {g.input("x", {1, channels, 9, 9}), g.floats({channels, 1, 4, 4}, weights)},
                    {{"group", channels}, {"strides", std::vector<int64_t>{stride, stride}}}));
    return report_of(g).movements.size();
  };
  EXPECT_EQ(copies(24, 2), 2u);
  EXPECT_EQ(copies(24, 1), 0u) << "windows slide along rows";
  EXPECT_EQ(copies(8, 2), 0u) << "few channels";
}

// The image of a deformable convolution is copied, so that its channels are contiguous where elements are gathered.
TEST(LayoutReport, ImagesOfDeformableConvolutionsHaveTheirChannelsLast) {
  const auto copied = [](int64_t channels) {
    GraphMaker g(19);
    const ValueId x = g.input("x", {1, channels, 6, 6}), offsets = g.input("offsets", {1, 18, 4, 4});
    const std::vector<double> weights(size_t(16 * channels * 9), 0.5);
    g.output(g.node("DeformConv", {x, g.floats({16, channels, 3, 3}, weights), offsets}));
    const auto movements = report_of(g).movements;
    return std::any_of(movements.begin(), movements.end(), [](const auto& m) {
      return m.tensor == "x" && m.reason.starts_with("its channels are not contiguous");
    });
  };
  EXPECT_TRUE(copied(24));
  EXPECT_FALSE(copied(8)) << "few channels";
}

TEST(LayoutReport, CopiesWithPadding) {
  GraphMaker few, xsmm;
  few.output(convolution(few, few.input("x", {1, 3, 6, 6}), {8, 3, 3, 3}, {1, 1, 1, 1}));
  const LayoutReport folded = report_of(few);
  ASSERT_EQ(folded.movements.size(), 1u);
  EXPECT_EQ(folded.movements[0].kind, "padding");
  EXPECT_EQ(folded.movements[0].reason, "the taps and the few channels become one contiguous K axis");
  EXPECT_TRUE(folded.movements[0].bytes.is_constant(4 * 3 * (6 * 6 + 8 * 8)));

  Options options;
  options.max_autotune_conv_backends = {"XSMM", "CPP"};
  xsmm.output(convolution(xsmm, xsmm.input("x", {1, 16, 6, 6}), {16, 16, 3, 3}, {1, 1, 1, 1}));
  Target target = small_target();
  target.lanes = 16;
  const LayoutReport padded = layout_report(make_schedule(ops::lower(xsmm.g), options, target));
  EXPECT_EQ(std::count_if(padded.movements.begin(), padded.movements.end(),
                          [](const auto& m) { return m.reason == "the engine requires padded images"; }),
            rt::xsmm_lanes() > 0 ? 1 : 0);
}

TEST(LayoutReport, PackingAtEachRun) {
  GraphMaker g;
  const ValueId columns = g.input("b", {32, 24});
  g.output(g.node("MatMul", {g.input("a", {20, 24}), g.node("Transpose", {columns})}));
  const LayoutReport r = report_of(g);
  ASSERT_EQ(r.movements.size(), 1u);
  EXPECT_EQ(r.movements[0].kind, "packing");
  EXPECT_EQ(r.movements[0].tensor, "b");
  EXPECT_TRUE(r.movements[0].bytes.is_constant(2 * 4 * 24 * 32));
}

TEST(LayoutReport, MovementsOfTheModel) {
  GraphMaker g;
  g.output(g.node("Transpose", {g.input("x", {6, g.symbol("N")})}, {{"perm", std::vector<int64_t>{1, 0}}}));
  const LayoutReport r = report_of(g);
  ASSERT_EQ(r.movements.size(), 1u);
  EXPECT_EQ(r.movements[0].kind, "node");
  EXPECT_EQ(r.movements[0].to, std::vector<std::string>{"(output)"});
  EXPECT_FALSE(r.movements[0].bytes.is_constant());
}

TEST(LayoutReport, ComputingIsNoMovement) {
  GraphMaker g;
  g.output(g.node("Relu", {g.input("x", {6, 7})}));
  EXPECT_TRUE(report_of(g).movements.empty());
}

TEST(LayoutReport, GapsBetweenRows) {
  GraphMaker g;
  const ValueId rows = g.node("Softmax", {g.input("x", {96, 1024})});
  g.output(g.node("MatMul", {rows, g.floats({1024, 64}, std::vector<double>(1024 * 64, 1))}));
  const LayoutReport r = report_of(g);
  ASSERT_EQ(r.gaps.size(), 1u);
  EXPECT_EQ(r.gaps[0].bytes, 64);
}

}  // namespace
}  // namespace cppgen::schedule
