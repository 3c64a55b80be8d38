// Each setting of the schedule changes it, both ways.
#include "tests/schedule/scheduled.h"

namespace cppgen::schedule {
namespace {

GraphMaker chain(int length) {
  GraphMaker g;
  ValueId v = g.input("x", {64, 32});
  for (int i = 0; i < length; i++) v = g.node(i % 2 ? "Neg" : "Sqrt", {v});
  g.output(v);
  return g;
}

size_t steps(GraphMaker g, const Options& options) { return scheduled(g, options).steps.size(); }
size_t statements(GraphMaker g, const Options& options) { return scheduled(g, options).program.statements.size(); }

TEST(Settings, MaxFusionSize) {
  Options small;
  small.max_fusion_size = 1;
  EXPECT_EQ(statements(chain(10), {}), 1u);
  EXPECT_EQ(statements(chain(10), small), 10u);
  GraphMaker g = chain(10);
  EXPECT_EQ(decision(scheduled(g, small).log, "inline").reason, "more than MAX_FUSION_SIZE=1 operations");
}

GraphMaker siblings(int count) {
  GraphMaker g;
  for (int i = 0; i < count; i++) g.output(g.node("Exp", {g.input("x" + std::to_string(i), {64, 32})}));
  return g;
}

TEST(Settings, MaxHorizontalFusionSize) {
  Options off, two;
  off.max_horizontal_fusion_size = 1;
  two.max_horizontal_fusion_size = 2;
  EXPECT_EQ(steps(siblings(6), {}), 1u);
  EXPECT_EQ(steps(siblings(6), two), 3u);
  EXPECT_EQ(steps(siblings(6), off), 6u);
}

// v = x + y is cheap and read by three pointwise nests, each of its own shape.
GraphMaker three_readers(int reads = 2) {
  GraphMaker g;
  ValueId v = g.input("x", {16, 32});
  for (int i = 1; i < reads; i++) v = g.node("Add", {v, g.input("y" + std::to_string(i), {16, 32})});
  for (const char* op : {"Exp", "Neg", "Abs"}) g.output(g.node(op, {v}));
  return g;
}

TEST(Settings, RealizeReadsThreshold) {
  Options few;
  few.realize_reads_threshold = 2;
  EXPECT_EQ(statements(three_readers(), {}), 3u);
  EXPECT_EQ(statements(three_readers(), few), 4u);
  GraphMaker g = three_readers();
  EXPECT_EQ(decision(scheduled(g, few).log, "inline", "add").reason, "3 readers: stored (REALIZE_READS_THRESHOLD=2)");
}

TEST(Settings, RealizeOpcountThreshold) {
  Options few;
  few.realize_opcount_threshold = 1;
  EXPECT_EQ(statements(three_readers(3), {}), 3u);
  EXPECT_EQ(statements(three_readers(3), few), 4u);
}

TEST(Settings, RealizeAccReadsThreshold) {
  Options few;
  few.realize_acc_reads_threshold = 2;
  EXPECT_EQ(statements(three_readers(3), {}), 3u);
  EXPECT_EQ(statements(three_readers(3), few), 4u);
}

TEST(Settings, UnrollReductionsThreshold) {
  auto graph = [] {
    GraphMaker g;
    g.output(g.node("ReduceMax", {g.input("x", {64, 8})}, {{"axes", std::vector<int64_t>{1}}}));
    return g;
  };
  auto is_pointwise = [&](int64_t threshold) {
    Options o;
    o.unroll_reductions_threshold = threshold;
    GraphMaker g = graph();
    return kernels_of(scheduled(g, o))[0]->segments[0].reductions.empty();
  };
  EXPECT_TRUE(is_pointwise(8));
  EXPECT_FALSE(is_pointwise(7));
  EXPECT_FALSE(is_pointwise(0));
}

TEST(Settings, EpilogueFusion) {
  auto graph = [] {
    GraphMaker g;
    g.output(g.node("Relu", {g.node("MatMul", {g.input("x", {8, 32}), g.input("w", {32, 16})})}));
    return g;
  };
  Options off;
  off.epilogue_fusion = false;
  EXPECT_EQ(statements(graph(), off), statements(graph(), {}) + 1);
}

TEST(Settings, SplitReductions) {
  auto graph = [] {
    GraphMaker g;
    g.output(g.node("ReduceSum", {g.input("x", {64, 4096}), g.ints({0, 1})}));
    return g;
  };
  Options off;
  off.split_reductions = false;
  EXPECT_EQ(statements(graph(), {}), 2u);
  EXPECT_EQ(statements(graph(), off), 1u);
}

GraphMaker two_convolutions() {
  GraphMaker g;
  ValueId x = g.input("x", {1, 16, 12, 12});
  auto conv = [&](ValueId in, const char* w) { return g.node("Conv", {in, g.input(w, {16, 16, 3, 3})}); };
  g.output(conv(g.node("Relu", {conv(x, "w1")}), "w2"));
  return g;
}

TEST(Settings, LayoutOptimization) {
  auto channels_last = [](const Options& options) {
    GraphMaker g = two_convolutions();
    Schedule s = scheduled(g, options);
    return std::count_if(s.program.buffers.begin(), s.program.buffers.end(), [&](const auto& b) {
      return b.kind == ir::BufferKind::temporary && b.shape.size() == 4 && s.layouts[size_t(b.id)] == with_last(4, 1);
    });
  };
  Options off;
  off.layout_optimization = false;
  EXPECT_GE(channels_last({}), 1);
  EXPECT_EQ(channels_last(off), 0);
}

TEST(Settings, InplaceBuffers) {
  // The product keeps the two pointwise nests apart, and the second is the last to read the first's result.
  auto graph = [] {
    GraphMaker g;
    ValueId v = g.node("Exp", {g.input("x", {64, 32})});
    ValueId w = g.node("MatMul", {v, g.input("w", {32, 32})});
    ValueId sum = g.node("Exp", {g.node("Add", {v, w})});
    g.output(g.node("MatMul", {sum, g.input("u", {32, 32})}));
    return g;
  };
  Options on, off;
  on.epilogue_fusion = off.epilogue_fusion = false;
  off.inplace_buffers = false;
  GraphMaker g = graph(), h = graph();
  EXPECT_FALSE(scheduled(g, on).in_place.empty());
  EXPECT_TRUE(scheduled(h, off).in_place.empty());
}

}  // namespace
}  // namespace cppgen::schedule
